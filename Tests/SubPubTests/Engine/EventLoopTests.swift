import Dispatch
import SubPub
import SubPubTesting
import Synchronization
import Testing

@Suite("A backlog starves no event loop", .hangLimit)
struct EventLoopTests {
  enum Kind: String, CaseIterable, Codable, Sendable {
    case executor, serial, actor

    func context(_ loop: EventLoop, _ host: LoopHost) -> DeliveryContext {
      switch self {
      case .executor: .executor(loop)
      case .serial: .serial(loop)
      case .actor: .actor(host)
      }
    }
  }

  private static let backlog = 5_000
  private static let timeSlice = 256

  /// Publishes a backlog to subscriptions on a loop, and returns how many deliveries were made before an event that
  /// arrived during the first one was handled.
  private func deliveriesBeforeEvent(
    _ kind: Kind, _ intake: EventLoop.Intake, publishers: Int = 1, backlog: Int = Self.backlog,
    sourceLocation: SourceLocation = #_sourceLocation
  ) async throws -> Int {
    let (loop, gate, count) = (EventLoop(intake), Gate(), Deliveries())
    let host = LoopHost(loop)
    defer {
      gate.open()
      loop.end()
    }
    let all = (0..<publishers).map { _ in Publisher<Int>() }
    for publisher in all {
      publisher.subscribe(count, on: kind.context(loop, host)) { count, _ in
        gate.pass()
        loop.checkIsolated()
        // Long enough for time slices to last, however fast the machine is.
        let end = ContinuousClock.now + .microseconds(5)
        while ContinuousClock.now < end {}
        count.number.add(1, ordering: .relaxed)
      }
    }
    try await gate.waitUntilHeld()
    for number in 1...backlog { for publisher in all { publisher.updateData(number) } }
    let seen = Recorder<Int>()
    loop.receive { seen.receive(.loaded(count.number.load(ordering: .relaxed))) }
    gate.open()
    try await seen.wait(count: 1)
    for publisher in all { await publisher.drain() }
    #expect(count.number.load(ordering: .relaxed) == publishers * (backlog + 1), sourceLocation: sourceLocation)
    withExtendedLifetime(host) {}
    return try #require(seen.states.first?.value, sourceLocation: sourceLocation)
  }

  private final class Deliveries: Sendable {
    let number = Atomic<Int>(0)
  }

  @Test("an event is handled after one time slice at most", arguments: Kind.allCases)
  func required_2_08_eventLoop(kind: Kind) async throws {
    let seen = try await deliveriesBeforeEvent(kind, .withEvents)
    #expect((1...Self.timeSlice).contains(seen))
  }

  @Test("lanes that never run dry take turns", arguments: Kind.allCases)
  func required_2_08_turns(kind: Kind) async throws {
    let loop = EventLoop(.atOnce)
    let (host, isDone) = (LoopHost(loop), Locked(false))
    defer { loop.end() }
    let all = (0..<4).map { _ in (publisher: Publisher<Int>(), count: Deliveries()) }
    for (publisher, count) in all {
      publisher.subscribe(count, on: kind.context(loop, host)) { [weak publisher] count, _ in
        let number = count.number.add(1, ordering: .relaxed).newValue
        if !isDone.withLock({ $0 }) { publisher?.updateData(number) }
      }
    }
    let turns = Recorder<Int>()
    for (publisher, _) in all {
      publisher.subscribe(turns, on: .immediate) { turns, state in
        // Ten time slices.
        if state == .loaded(10 * Self.timeSlice) { turns.receive(state) }
      }
    }
    try await turns.wait(count: all.count)
    isDone.withLock { $0 = true }
    for (publisher, _) in all { await publisher.drain() }
    withExtendedLifetime(host) {}
  }

  @Test("a backlog is delivered while blocked subscribers hold all of Dispatch's threads", arguments: Kind.allCases)
  func required_2_08_blockedThreads(kind: Kind) async throws {
    let (loop, gate) = (EventLoop(.atOnce), Gate())
    let (host, publisher, blocked) = (LoopHost(loop), Publisher<Int>(), Publisher<Int>())
    defer {
      gate.open()
      loop.end()
    }
    let subscribers = (0..<64).map { _ in Deliveries() }
    // Swift's tasks need these threads as well, so until the gate is open nothing may be awaited.
    try await OwnThread.run {
      defer { gate.open() }
      for subscriber in subscribers {
        blocked.subscribe(subscriber, on: .queue(.global(), independent: true)) { _, _ in gate.pass() }
      }
      let (count, isDelivered) = (Deliveries(), DispatchSemaphore(value: 0))
      publisher.subscribe(count, on: kind.context(loop, host)) { count, state in
        count.number.add(1, ordering: .relaxed)
        if state == .loaded(Self.backlog) { isDelivered.signal() }
      }
      for number in 1...Self.backlog { publisher.updateData(number) }
      #expect(TestLimit.wait { isDelivered.wait(timeout: $0) })
      #expect(count.number.load(ordering: .relaxed) > Self.backlog / 2)
    }
    await blocked.drain()
    withExtendedLifetime((host, subscribers)) {}
  }

  @Test("an event is handled after a few time slices of several lanes", arguments: Kind.allCases, [1, 2, 20])
  func stochastic_2_08_eventLoop(kind: Kind, lanes: Int) async throws {
    let most = (lanes + 10) * Self.timeSlice
    let backlog = TestRounds.of(2 * most / lanes, full: Self.backlog)
    // After the first time slice of each lane, only one of them waits on the loop, which has a pause every two
    // milliseconds. It misses some if its thread is held up, which on a busy machine may happen again and again. A loop
    // without pauses misses all of them, however often this is tried.
    for attempt in 1...100 {
      let seen = try await deliveriesBeforeEvent(kind, .atOnce, publishers: lanes, backlog: backlog)
      if (1...most).contains(seen) { return }
      print("attempt \(attempt): an event is handled only after \(seen) deliveries, \(kind) with \(lanes) lanes")
    }
    Issue.record("an event always has to wait for more than \(most) deliveries")
  }
}

/// An executor like the event loops of network servers: its thread runs jobs until none is left, and only then looks at
/// its I/O.
final class EventLoop: SerialExecutor, TaskExecutor {
  /// When the loop sees a job that another thread enqueues.
  enum Intake: String, CaseIterable, Codable, Sendable {
    /// When it next looks at its I/O.
    case withEvents
    /// As soon as the job that is running has ended.
    case atOnce
  }

  private struct State {
    var jobs: [UnownedJob] = []
    /// Jobs that arrive with the I/O.
    var arriving: [UnownedJob] = []
    var events: [@Sendable () -> Void] = []
    var thread: ThreadToken?
    var isEnding = false
  }

  private let intake: Intake
  private let state = Locked(State())
  private let somethingArrived = DispatchSemaphore(value: 0)

  /// Starts the loop's thread, which keeps the loop until `end()`.
  init(_ intake: Intake) {
    self.intake = intake
    OwnThread.start { self.run() }
  }

  /// Lets the thread end when nothing is left to do.
  func end() {
    state.withLock { $0.isEnding = true }
    somethingArrived.signal()
  }

  /// Adds an event, such as a request from a network.
  func receive(_ handler: @escaping @Sendable () -> Void) {
    state.withLock { $0.events.append(handler) }
    somethingArrived.signal()
  }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    state.withLock { state in
      if intake == .atOnce || state.thread == .current { state.jobs.append(job) } else { state.arriving.append(job) }
    }
    somethingArrived.signal()
  }

  func isIsolatingCurrentContext() -> Bool? { state.withLock { $0.thread == .current } }

  func checkIsolated() { precondition(isIsolatingCurrentContext() == true, "this runs outside the event loop") }

  private func run() {
    state.withLock { $0.thread = .current }
    while true {
      while let job = state.withLock({ $0.jobs.isEmpty ? nil : $0.jobs.removeFirst() }) {
        unsafe job.runSynchronously(
          isolatedTo: asUnownedSerialExecutor(), taskExecutor: asUnownedTaskExecutor())
      }
      let (events, isIdle, isEnding) = state.withLock { state in
        defer { (state.arriving, state.events) = ([], []) }
        state.jobs += state.arriving
        return (state.events, state.jobs.isEmpty && state.events.isEmpty, state.isEnding)
      }
      for handle in events { handle() }
      if isIdle {
        if isEnding { return }
        somethingArrived.wait()
      }
    }
  }
}

/// An actor on an event loop.
actor LoopHost {
  nonisolated let loop: EventLoop
  nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.asUnownedSerialExecutor() }

  init(_ loop: EventLoop) { self.loop = loop }
}
