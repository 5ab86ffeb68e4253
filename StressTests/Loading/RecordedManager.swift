/// A manager of any kind.
protocol ManagerUnderTest: Sendable {
  /// Performs one operation, and returns at once.
  func act(_ random: inout SeededGenerator)
  /// Waits until nothing happens any more, and returns what was recorded.
  func finish() async -> LoadHistory
}

/// A manager with its endpoint, its waits and a subscriber that records all states.
final class RecordedManager<M: ItemManager>: ManagerUnderTest, TypedSubscriber {
  private struct Notes: Sendable {
    var history: LoadHistory
    var tasks: [Task<Void, Never>] = []
    var polls: [Task<Void, Never>] = []
    /// How many values were set by hand.
    var values = 0
  }

  private let profile: LoadProfile
  private let publisher: Publisher<M.Value>
  private let notes: Guarded<Notes>
  private let endpoint: FakeEndpoint
  private let manager: Guarded<M?>
  private let returned = Countdown()

  init(_ manager: M, _ endpoint: FakeEndpoint, _ profile: LoadProfile, attempts: Int, on context: DeliveryContext) {
    (self.manager, self.endpoint, self.profile) = (Guarded(manager), endpoint, profile)
    notes = Guarded(Notes(history: LoadHistory(mix: profile.mix, attempts: attempts)))
    publisher = manager.publisher
    publisher.subscribe(self, on: context)
    endpoint.watch { [publisher] in publisher.current.version }
  }

  func receive(_ state: LoadState<M.Value>) {}

  func receive(_ publication: Publication<M.Value>) {
    let note = LoadPublication(
      version: publication.version, phase: publication.phase,
      items: publication.state.value.map { M.items(of: $0) } ?? [],
      failure: (publication.error as? LoadFailure)?.number)
    notes.with { $0.history.publications.append(note) }
  }

  func act(_ random: inout SeededGenerator) {
    notes.with { $0.history.operations += 1 }
    if random.draw(5) < 2 { return endpoint.answer(&random) }
    let (operation, manager) = (random.pick(LoadOperation.allCases.filter(profile.mix.contains)), manager.value)
    switch operation {
    case .appear: manager?.refreshIfNeeded()
    // These supersede all loads: if they were frequent, no load would finish.
    case .logout: if random.draw(4) == 0 { logout() }
    case .foreign: if random.draw(3) == 0 { publish(&random) }
    case .copies: publisher.republish()
    case .cancel:
      let tasks = notes.with { $0.tasks }
      if !tasks.isEmpty { random.pick(tasks).cancel() }
    case .invalidate: if random.draw(3) == 0 { manager?.invalidate() }
    case .abandon: if random.draw(4) == 0 { manager?.cancel() }
    case .set where random.draw(4) == 0:
      let number = notes.with { notes in
        notes.values += 1
        return -notes.values
      }
      // It belongs to no login, so it may also come after a logout.
      manager?.set(LoadedItem(number: number, login: .max))
    case .set: break
    // A poll is cancelled when there are four, so that loads become unwanted now and then.
    case .poll:
      let oldest = notes.with { $0.polls.count < 4 ? nil : $0.polls.removeFirst() }
      if let oldest { oldest.cancel() } else { wait(.poll) }
    default: wait(operation)
    }
  }

  private func wait(_ operation: LoadOperation) {
    guard let manager = manager.value else { return }
    returned.expect(1)
    let task = Task.detached { [self] in
      let (begin, version) = (Stamp.now(), publisher.current.version)
      let state = await manager.load(operation)
      defer { returned.arrive() }
      if operation == .poll { return }
      let wait = LoadWait(
        operation: operation, begin: begin, version: version, phase: state.phase,
        item: state.value.flatMap { M.items(of: $0).last?.number }, failure: (state.error as? LoadFailure)?.number)
      notes.with { $0.history.waits.append(wait) }
    }
    notes.with { operation == .poll ? $0.polls.append(task) : $0.tasks.append(task) }
  }

  private func logout() {
    let login = endpoint.nextLogin()
    manager.value?.logout()
    let version = publisher.current.version
    notes.with { $0.history.logouts.append((login, version)) }
  }

  /// Makes a transition that no load makes, and records the version where it is known.
  private func publish(_ random: inout SeededGenerator) {
    switch random.draw(6) {
    case 0: publisher.startLoading()
    case 1: publisher.setError(TestError())
    case 2: publisher.reset()
    case 3: publish { .loading(previous: $0.value) }
    case 4: publish { .error(TestError(), previous: $0.value) }
    default: publish { $0.value.map { .loaded($0) } ?? .unknown }
    }
  }

  private func publish(_ transform: (LoadState<M.Value>) -> LoadState<M.Value>) {
    let version = publisher.update(transform).version
    notes.with { _ = $0.history.foreign.insert(version) }
  }

  func finish() async -> LoadHistory {
    endpoint.close(answers: profile.ending == .answered)
    for poll in notes.with({ $0.polls }) { poll.cancel() }
    let tasks = notes.with { $0.tasks }
    switch profile.ending {
    case .answered:
      // Waits for a load that `refreshIfNeeded()` has started.
      if profile.mix.contains(.refresh) { wait(.refresh) }
    case .loggedOut: logout()
    case .cancelled, .released: for task in tasks { task.cancel() }
    }
    let isReturned = await returned.wait()
    if isReturned, profile.ending == .released {
      // The tasks held the manager.
      for task in tasks { await task.value }
      _ = manager.with { $0.take() }
    }
    await endpoint.waitUntilEmpty()
    await publisher.drain()
    var history = notes.value.history
    (history.calls, history.finalVersion, history.hasHangingWaits) = (
      endpoint.calls, publisher.current.version, !isReturned
    )
    return history
  }
}
