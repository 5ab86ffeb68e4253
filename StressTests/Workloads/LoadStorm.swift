/// A manager that threads use at random, and whose subscriber checks what it is told.
///
/// Which decision is right in which phase is up to the tests of `LoadMachine`: here loads, their callers, and
/// transitions by hand meet on threads.
final class LoadStorm<M: StormManager>: TypedSubscriber {
  /// What may happen besides refreshes; the less it is, the more can be checked.
  enum Kind { case shared, anything }

  private struct Record {
    var (version, phase, items) = (UInt64(0), LoadPhase.unknown, [LoadedItem]())
    /// The results of loads, each with the version at which it came.
    var results: [(version: UInt64, item: LoadedItem)] = []
    var byHand: [UInt64] = []
    /// For each logout, the number of the next login, and the version when it had returned.
    var logouts: [(login: Int, version: UInt64)] = []
    var callers: [Task<Void, Never>] = []
    var deliveries = 0
  }

  private let kind: Kind
  private let findings: Findings
  private let endpoint: StormEndpoint
  private let manager: Guarded<M?>
  private let publisher: Publisher<M.Value>
  private let record = Guarded(Record())
  private let returned = Countdown()

  init(_ kind: Kind, _ manager: M, _ endpoint: StormEndpoint, _ findings: Findings) {
    (self.kind, self.manager, self.endpoint, self.findings) = (kind, Guarded(manager), endpoint, findings)
    publisher = manager.publisher
    endpoint.version.with { $0 = { [publisher] in publisher.current.version } }
    publisher.subscribe(self, on: .immediate)
  }

  func act(_ random: inout SeededGenerator) {
    guard let manager = manager.value else { return }
    switch random.draw(kind == .shared ? 8 : 32) {
    case 0..<2: manager.refreshIfNeeded()
    case 2: publisher.republish()
    case 3..<8: call { await manager.load() }
    case 8..<12: call { await manager.refreshAgain() }
    case 12..<22:
      let callers = record.with { $0.callers }
      if !callers.isEmpty { random.pick(callers).cancel() }
    case 22..<25: manager.invalidate()
    case 25, 26: manager.cancel()
    case 27: call { await manager.poll() }
    case 28: logout(manager)
    default: publishByHand(&random)
    }
  }

  private func call(_ body: @escaping @Sendable () async -> Void) {
    returned.expect(1)
    let task = Task.detached { [self] in
      await body()
      returned.arrive()
    }
    record.with { $0.callers.append(task) }
  }

  private func logout(_ manager: M) {
    let login = endpoint.nextLogin()
    manager.logout()
    record.with { $0.logouts.append((login, publisher.current.version)) }
  }

  private func publishByHand(_ random: inout SeededGenerator) {
    let choice = random.draw(3)
    let version = publisher.update { state in
      switch choice {
      case 0: .error(TestError(), previous: state.value)
      case 1: state.value.map { .loaded($0) } ?? .unknown
      default: .unknown
      }
    }.version
    record.with { $0.byHand.append(version) }
  }
}

/// What is checked.
extension LoadStorm {
  func receive(_ state: LoadState<M.Value>) {}

  func receive(_ new: Publication<M.Value>) {
    let items = new.state.value.map { M.items(of: $0) } ?? []
    let last = record.with { record in
      defer { (record.version, record.phase, record.items) = (new.version, new.phase, items) }
      record.deliveries += 1
      if new.phase == .loaded, let item = items.last, item != record.items.last {
        record.results.append((new.version, item))
      }
      return record
    }
    if last.deliveries > 1 { findings.expect(new.version == last.version + 1, "1.03", "\(new) after \(last.version)") }
    let keepsItems = new.phase == .loaded || items == (new.phase == .unknown ? [] : last.items)
    findings.expect(keepsItems, new.phase == .unknown ? "5.02" : "5.01", "\(new) after \(last.items)")
    for (index, item) in items.enumerated() {
      let isInOrder = (item.page, item.place) == (index / StormEndpoint.pageSize, index % StormEndpoint.pageSize)
      findings.expect(isInOrder, "5.08", "\(item) is at \(index) of \(new)")
    }
  }

  /// Waits until nothing happens any more, and checks what is left; returns the number of deliveries.
  func finish(_ random: inout SeededGenerator) async -> Int {
    let (callers, held) = (record.with { $0.callers }, manager.value)
    if kind == .shared {
      _ = await held?.load()
    } else {
      for caller in callers { caller.cancel() }
      if let held { random.draw(2) == 0 ? held.cancel() : logout(held) }
    }
    findings.expect(await returned.wait(), "5.05", "a caller of a load never returns")
    await end()
    let (record, calls) = (record.value, endpoint.calls.value)
    findings.expect(record.phase != .loading, "5.05", "the state is loading for ever")
    for (version, item) in record.results {
      let call = calls[item.number]
      findings.expect(call.hasAnswered, "5.04", "\(item) at \(version) is no result of a call")
      let overtaking = record.byHand.first { call.version < $0 && $0 < version }
      findings.expect(overtaking == nil, "5.04", "\(item) at \(version) is late: its call began at \(call.version)")
      let isOver = record.logouts.contains { $0.version < version && item.login < $0.login }
      findings.expect(!isOver, "5.04", "\(item) at \(version) is from before a logout")
    }
    guard kind == .shared else { return record.deliveries }
    findings.expect(endpoint.most.value <= 1, "5.03", "\(endpoint.most.value) calls of the loader at once")
    let answered = calls.count { $0.hasAnswered }
    findings.expect(record.results.count == answered, "5.03", "\(answered) results, \(record.results.count) published")
    return record.deliveries
  }

  /// Releases the manager, and waits for the end of all calls of its loader.
  private func end() async {
    do { _ = manager.with { $0.take() } }
    findings.expect(await endpoint.open.wait(), "5.09", "a call of a loader is never cancelled")
    await publisher.drain()
  }
}

/// A manager whose loader returns items.
protocol StormManager: Manager, AnyObject {
  func load() async
  func refreshAgain() async
  func poll() async
  func invalidate()
  func cancel()
  static func items(of value: Value) -> [LoadedItem]
}

extension LoadingManager: StormManager where Value == [LoadedItem] {
  func load() async { await refresh() }
  func refreshAgain() async { await refresh(restarting: true) }
  func poll() async { await refresh(every: .milliseconds(1)) }
  static func items(of value: [LoadedItem]) -> [LoadedItem] { value }
}

extension PagedManager: StormManager where Element == LoadedItem, Cursor == Int {
  func load() async { await loadNextPage() }
  func refreshAgain() async { await refresh(restarting: true) }
  func poll() async { await refresh(every: .milliseconds(1)) }
  static func items(of value: Paged<LoadedItem, Int>) -> [LoadedItem] { value.elements }
}

/// A value that a loader returns.
struct LoadedItem: Hashable, Sendable {
  /// The number of the call.
  let number: Int
  /// The number of the login when the call began.
  let login: Int
  let page: Int
  /// Its index in the page.
  let place: Int
}

/// Stands in for an endpoint that answers at once or later, fails, or hangs until the call is cancelled.
final class StormEndpoint: Sendable {
  static let pageSize = 2

  struct Call: Sendable {
    /// The publisher's version when the call began, or an earlier one.
    let version: UInt64
    var hasAnswered = false
  }

  let calls = Guarded<[Call]>([])
  let version = Guarded<@Sendable () -> UInt64>({ 0 })
  /// The most calls that ran at once.
  let most = Guarded(0)
  let open = Countdown()
  private let hangs: Bool
  private let random: Guarded<SeededGenerator>
  private let (login, running) = (Guarded(0), Guarded(0))

  init(_ random: SeededGenerator, hangs: Bool) { (self.random, self.hangs) = (Guarded(random), hangs) }

  /// Begins the next login.
  func nextLogin() -> Int {
    login.with { login in
      login += 1
      return login
    }
  }

  func load(_ page: Int) async throws -> [LoadedItem] {
    open.expect(1)
    let count = running.with { running in
      running += 1
      return running
    }
    most.with { $0 = max($0, count) }
    defer {
      running.with { $0 -= 1 }
      open.arrive()
    }
    let (begin, login, draw) = (version.value(), login.value, random.with { $0.draw(100) })
    let number = calls.with { calls in
      calls.append(Call(version: begin))
      return calls.count - 1
    }
    if hangs, draw < 10 {
      try await Task.sleep(for: .seconds(3_600))
    } else {
      // Ignores a cancellation.
      for _ in 0..<draw / 3 { await Task.yield() }
    }
    if draw.isMultiple(of: 4) { throw TestError() }
    calls.with { $0[number].hasAnswered = true }
    return (0..<Self.pageSize).map { LoadedItem(number: number, login: login, page: page, place: $0) }
  }
}
