import SubPub

/// A manager, its loader, and all who wait for it.
final class ManagedLoads<M: Manager>: LoadStage {
  typealias Load = @Sendable (M, LoadMix) async -> LoadState<M.Value>

  struct Notes: Sendable {
    var waits: [LoadWait] = []
    var logouts: [LogoutRecord] = []
    var foreign: Set<UInt64> = []
    var tasks: [Task<Void, Never>] = []
    var operations = 0
  }

  let profile: LoadProfile
  let publisher: Publisher<M.Value>
  let notes = Guarded(Notes())
  private let attempts: Int
  private let desk: Desk
  private let scribe: LoadScribe<M.Value>
  private let manager: Guarded<M?>
  private let load: Load
  private let tickets: @Sendable (M.Value) -> [Ticket]
  private let returned = Countdown()

  init(
    _ manager: M, _ desk: Desk, _ profile: LoadProfile, attempts: Int, on context: DeliveryContext,
    tickets: @escaping @Sendable (M.Value) -> [Ticket], load: @escaping Load
  ) {
    self.manager = Guarded(manager)
    self.desk = desk
    self.profile = profile
    self.attempts = attempts
    self.tickets = tickets
    self.load = load
    publisher = manager.publisher
    scribe = LoadScribe(tickets)
    publisher.subscribe(scribe, on: context)
    desk.watch { [publisher] in publisher.current.version }
  }

  func act(_ random: inout SplitMix) {
    notes.with { $0.operations += 1 }
    if random.draw(5) < 2 { return desk.answer(&random) }
    let operation = random.pick(profile.mix.operations)
    switch operation {
    case .appear: manager.with { $0 }?.refreshIfNeeded()
    // What overtakes everything is rare, or nothing ever came to its end.
    case .logout: if random.draw(4) == 0 { logout() }
    case .foreign: if random.draw(3) == 0 { publish(&random) }
    case .copies: publisher.republish()
    case .cancel: cancelOne(&random)
    default: wait(operation)
    }
  }

  private func wait(_ operation: LoadMix) {
    guard let manager = manager.with({ $0 }) else { return }
    returned.expect(1)
    let task = Task.detached { [self] in
      let (begin, version) = (Stamp.now(), publisher.current.version)
      let state = await load(manager, operation)
      let wait = LoadWait(
        operation: operation, begin: begin, version: version, phase: state.phase,
        ticket: state.value.flatMap { tickets($0).last?.number }, refusal: (state.error as? Refusal)?.number)
      notes.with { $0.waits.append(wait) }
      returned.arrive()
    }
    notes.with { $0.tasks.append(task) }
  }

  private func cancelOne(_ random: inout SplitMix) {
    let index = random.draw(1_000)
    let task = notes.with { notes in
      notes.tasks.isEmpty ? nil : notes.tasks[index % notes.tasks.count]
    }
    task?.cancel()
  }

  private func logout() {
    let login = desk.nextLogin()
    manager.with { $0 }?.logout()
    let record = LogoutRecord(login: login, version: publisher.current.version)
    notes.with { $0.logouts.append(record) }
  }

  func finish() async -> LoadCourse {
    desk.close(answers: profile.ending == .answered)
    switch profile.ending {
    case .answered:
      // Waits for what `refreshIfNeeded()` has begun.
      if profile.mix.contains(.refresh) { wait(.refresh) }
    case .loggedOut: logout()
    case .cancelled, .released: for task in notes.with({ $0.tasks }) { task.cancel() }
    }
    let isReturned = await returned.wait()
    if isReturned, profile.ending == .released {
      // They have held the manager.
      for task in notes.with({ $0.tasks }) { await task.value }
      _ = manager.with { $0.take() }
    }
    _ = await desk.waitUntilEmpty()
    await publisher.drain()
    let notes = notes.with { $0 }
    return LoadCourse(
      mix: profile.mix, attempts: attempts, publications: scribe.publications, finalVersion: publisher.current.version,
      calls: desk.calls, waits: notes.waits, logouts: notes.logouts, foreign: notes.foreign,
      hasHangingWaits: !isReturned, operations: notes.operations)
  }
}
