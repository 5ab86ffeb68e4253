import Dispatch
import SubPub
import SubPubTesting
import Support
import Testing

// Code that runs between the turn of a publish and its deliveries (rules 2.03, 2.08, and 3.05).
extension Section2SubscriptionTests {
  @Test("a subscriber that blocks inside its executor's enqueue holds up no other lane")
  func required_2_03_2_08_blockedEnqueue() async throws {
    let (publisher, gate, queued) = (publisher, makeGate(), Recorder<Int>())
    let queue = DispatchQueue(label: "queue")
    publisher.subscribe(makeListener(), on: .executor(InlineExecutor())) { _, state in
      if state == .loaded(1) { gate.pass() }
    }
    publisher.subscribe(recorder, on: .immediate)
    publisher.subscribe(queued, on: .queue(queue))
    await publisher.drain()
    OwnThread.start { publisher.updateData(1) }
    try await gate.waitUntilHeld()
    await queue.passed()
    #expect(queued.states == [.unknown, .loaded(1)])
    // The publish that is held can't deliver, so the next one delivers both states.
    try await OwnThread.run { publisher.updateData(2) }
    #expect(recorder.states == [.unknown, .loaded(1), .loaded(2)])
    try await queued.wait(count: 3)
    gate.open()
    await publisher.drain()
    #expect(recorder.states.count == 3)
  }

  @Test("a publish in the cancellation handler of a superseded load delivers before it returns")
  func required_2_03_cancellationHandler() {
    let (executor, source, seen) = (ManualExecutor(), Source<Int>(), Locked<[LoadState<Int>]>([]))
    let publisher = Locked<Weak<Publisher<Int>>?>(nil)
    let manager = LoadingManager<Int>(on: executor) { [recorder] in
      try await withTaskCancellationHandler {
        try await source.load()
      } onCancel: {
        publisher.withLock { $0 }?.object?.updateData(5)
        seen.withLock { $0 = recorder.states }
      }
    }
    publisher.withLock { $0 = Weak(manager.publisher) }
    manager.publisher.subscribe(recorder, on: .immediate)
    manager.refreshIfNeeded()
    executor.runAll()
    manager.publisher.updateData(4)
    #expect(seen.withLock { $0 } == [.unknown, .loading(previous: nil), .loaded(4), .loaded(5)])
    #expect(recorder.states.count == 4)
    executor.runAll()
  }

  @Test("a lane is handed back only when the rest of its round has been released")
  func required_3_05_handedBack() {
    let (deaths, subscriber) = (Deaths(), Locked<Recorder<Int>?>(Recorder()))
    let queue = Queue { deaths.count }
    do {
      let captured = deaths.makeToken()
      if let dying = subscriber.withLock({ $0 }) {
        publisher.subscribe(dying, on: .queue(queue)) { _, _ in withExtendedLifetime(captured) {} }
      }
    }
    publisher.subscribe(recorder, on: .queue(queue))
    subscriber.withLock { $0 = nil }
    queue.run()
    #expect(queue.found == [0, 1])
    #expect(recorder.states == [.unknown])
  }

  /// A queue for one delivery at a time that looks around whenever work arrives.
  private final class Queue: WorkQueue, FixedTimeSlice, Sendable {
    let label = "one at a time"
    let deliveriesAtATime = 1
    private let look: @Sendable () -> Int
    private let state = Locked<(work: [@Sendable () -> Void], found: [Int])>(([], []))

    init(_ look: @escaping @Sendable () -> Int) { self.look = look }

    var found: [Int] { state.withLock(\.found) }

    func submit(_ work: @escaping @Sendable () -> Void) {
      let found = look()
      state.withLock { state in
        state.work.append(work)
        state.found.append(found)
      }
    }

    func run() { while let next = state.withLock({ $0.work.isEmpty ? nil : $0.work.removeFirst() }) { next() } }
  }
}
