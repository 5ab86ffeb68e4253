import SubPub
import SubPubTesting
import Support

/// A manager of any kind.
protocol ManagerUnderTest: Sendable {
  /// Performs one operation, and returns at once.
  func act(_ random: inout SeededGenerator)
  /// Waits until nothing happens any more, and returns what was recorded.
  func finish() async -> LoadHistory
}

/// An operation that returns at once, and that not every manager has.
enum LoadCommand: Sendable {
  case invalidate, cancel
  case set(LoadedItem)
}

/// A manager with its endpoint, its waits and a subscriber that records all states.
final class RecordedManager<M: Manager>: ManagerUnderTest {
  typealias Load = @Sendable (M, LoadMix) async -> LoadState<M.Value>

  struct Notes: Sendable {
    var waits: [LoadWait] = []
    var logouts: [LogoutRecord] = []
    var foreign: Set<UInt64> = []
    var tasks: [Task<Void, Never>] = []
    var polls: [Task<Void, Never>] = []
    var operations = 0
    /// The number of values that were set by hand.
    var values = 0
  }

  let profile: LoadProfile
  let publisher: Publisher<M.Value>
  let notes = Guarded(Notes())
  private let attempts: Int
  private let endpoint: FakeEndpoint
  private let recorder: StateRecorder<M.Value>
  private let manager: Guarded<M?>
  private let load: Load
  private let command: @Sendable (M, LoadCommand) -> Void
  private let items: @Sendable (M.Value) -> [LoadedItem]
  private let returned = Countdown()

  init(
    _ manager: M, _ endpoint: FakeEndpoint, _ profile: LoadProfile, attempts: Int, on context: DeliveryContext,
    items: @escaping @Sendable (M.Value) -> [LoadedItem], load: @escaping Load,
    command: @escaping @Sendable (M, LoadCommand) -> Void
  ) {
    self.command = command
    self.manager = Guarded(manager)
    self.endpoint = endpoint
    self.profile = profile
    self.attempts = attempts
    self.items = items
    self.load = load
    publisher = manager.publisher
    recorder = StateRecorder(items)
    publisher.subscribe(recorder, on: context)
    endpoint.watch { [publisher] in publisher.current.version }
  }

  func act(_ random: inout SeededGenerator) {
    notes.with { $0.operations += 1 }
    if random.draw(5) < 2 { return endpoint.answer(&random) }
    let operation = random.pick(profile.mix.operations)
    switch operation {
    case .appear: manager.with { $0 }?.refreshIfNeeded()
    // These supersede all loads: if they were frequent, no load would finish.
    case .logout: if random.draw(4) == 0 { logout() }
    case .foreign: if random.draw(3) == 0 { publish(&random) }
    case .copies: publisher.republish()
    case .cancel: cancelOne(&random)
    case .invalidate: if random.draw(3) == 0 { perform(.invalidate) }
    case .abandon: if random.draw(4) == 0 { perform(.cancel) }
    case .set: if random.draw(4) == 0 { set() }
    // A poll is cancelled when there are four, so that loads become unwanted now and then.
    case .poll: poll()
    default: wait(operation)
    }
  }

  private func perform(_ command: LoadCommand) {
    if let manager = manager.with({ $0 }) { self.command(manager, command) }
  }

  private func set() {
    let number = notes.with { notes in
      notes.values += 1
      return -notes.values
    }
    // It belongs to no login, so it may also come after a logout.
    perform(.set(LoadedItem(number: number, login: .max, page: 0, place: 0)))
  }

  private func poll() {
    let oldest = notes.with { $0.polls.count < 4 ? nil : $0.polls.removeFirst() }
    if let oldest { return oldest.cancel() }
    wait(.poll)
  }

  private func wait(_ operation: LoadMix) {
    guard let manager = manager.with({ $0 }) else { return }
    returned.expect(1)
    let task = Task.detached { [self] in
      let (begin, version) = (Stamp.now(), publisher.current.version)
      let state = await load(manager, operation)
      defer { returned.arrive() }
      if operation == .poll { return }
      let wait = LoadWait(
        operation: operation, begin: begin, version: version, phase: state.phase,
        item: state.value.flatMap { items($0).last?.number }, failure: (state.error as? LoadFailure)?.number)
      notes.with { $0.waits.append(wait) }
    }
    notes.with { operation == .poll ? $0.polls.append(task) : $0.tasks.append(task) }
  }

  private func cancelOne(_ random: inout SeededGenerator) {
    let index = random.draw(1_000)
    let task = notes.with { notes in
      notes.tasks.isEmpty ? nil : notes.tasks[index % notes.tasks.count]
    }
    task?.cancel()
  }

  private func logout() {
    let login = endpoint.nextLogin()
    manager.with { $0 }?.logout()
    let record = LogoutRecord(login: login, version: publisher.current.version)
    notes.with { $0.logouts.append(record) }
  }

  func finish() async -> LoadHistory {
    endpoint.close(answers: profile.ending == .answered)
    for poll in notes.with({ $0.polls }) { poll.cancel() }
    switch profile.ending {
    case .answered:
      // Waits for a load that `refreshIfNeeded()` has started.
      if profile.mix.contains(.refresh) { wait(.refresh) }
    case .loggedOut: logout()
    case .cancelled, .released: for task in notes.with({ $0.tasks }) { task.cancel() }
    }
    let isReturned = await returned.wait()
    if isReturned, profile.ending == .released {
      // The tasks held the manager.
      for task in notes.with({ $0.tasks }) { await task.value }
      _ = manager.with { $0.take() }
    }
    _ = await endpoint.waitUntilEmpty()
    await publisher.drain()
    let notes = notes.with { $0 }
    return LoadHistory(
      operations: notes.operations, mix: profile.mix, attempts: attempts, publications: recorder.publications,
      finalVersion: publisher.current.version,
      calls: endpoint.calls, waits: notes.waits, logouts: notes.logouts, foreign: notes.foreign,
      hasHangingWaits: !isReturned)
  }
}

extension RecordedManager {
  /// Makes a transition that no load makes, and records the version where it is known.
  func publish(_ random: inout SeededGenerator) {
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
    notes.with { _ = $0.foreign.insert(version) }
  }
}

/// Records every state of a manager's publisher.
private final class StateRecorder<Value: Sendable>: TypedSubscriber {
  private let items: @Sendable (Value) -> [LoadedItem]
  private let list = Guarded<[LoadPublication]>([])

  init(_ items: @escaping @Sendable (Value) -> [LoadedItem]) { self.items = items }

  var publications: [LoadPublication] { list.with { $0 } }

  func receive(_ state: LoadState<Value>) {}

  func receive(_ publication: Publication<Value>) {
    let note = LoadPublication(
      version: publication.version, phase: publication.phase, items: publication.state.value.map(items) ?? [],
      failure: (publication.error as? LoadFailure)?.number)
    list.with { $0.append(note) }
  }
}
