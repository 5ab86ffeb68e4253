import Dispatch
import SubPub
import SubPubTesting
import Testing

// Rule 2.06: a successor waits until the delivery under way of the replaced subscription ends. Nobody else waits.
extension Section2SubscriptionTests {
  /// A subscriber that is held in a delivery on one queue, and has been replaced by itself in another lane.
  final class Replaced: Sendable {
    let publisher = Publisher<Int>()
    let bystander = Recorder<Int>()
    let subscriber = HeldRecorder()
    /// The lane of the bystander and of the successor.
    let place: Place
    let old: Subscription
    let successor: Subscription

    init(on kind: ContextKind, buffering: BufferingPolicy = .unbounded) async throws {
      place = Place(kind)
      publisher.subscribe(bystander, on: place.context)
      old = publisher.subscribe(subscriber, on: .queue(DispatchQueue(label: "old")))
      // An immediate bystander has its state when the publish returns.
      let published = Event()
      OwnThread.start { [publisher] in
        publisher.updateData(1)
        published.happen()
      }
      try await subscriber.gate.waitUntilHeld()
      try await published.wait()
      successor = publisher.subscribe(subscriber, on: place.context, buffering: buffering, ifDuplicate: .replace)
    }

    deinit { subscriber.gate.open() }
  }

  @Test("a successor gets what it missed", arguments: ContextKind.holdableShared, BufferingPolicy.oneOfEach)
  func required_2_03_2_06_2_01_2_04_missed(kind: ContextKind, policy: BufferingPolicy) async throws {
    let replaced = try await Replaced(on: kind, buffering: policy)
    let missed = policy.rest(of: Array(1...9) as [UInt64])
    for number in 2...9 {
      replaced.publisher.updateData(number)
      // The others in its lane don't wait.
      if kind == .immediate { #expect(replaced.bystander.states.last == .loaded(number)) }
    }
    try await replaced.bystander.wait { $0 == .loaded(9) }
    let late = Recorder<Int>()
    replaced.publisher.subscribe(late, on: replaced.place.context)
    try await late.wait { $0 == .loaded(9) }
    let waiting = replaced.successor.statistics
    #expect((waiting.delivered, waiting.pending, waiting.highWater) == (0, missed.count, missed.count))
    #expect(waiting.skipped == 9 - missed.count)
    replaced.subscriber.gate.open()
    await replaced.publisher.drain()
    replaced.publisher.updateData(10)
    if kind == .immediate { #expect(replaced.subscriber.versions.last == 10) }
    await replaced.publisher.drain()
    #expect(replaced.subscriber.versions == [0, 1] + missed + [10])
    #expect(replaced.subscriber.mostAtOnce == 1)
    #expect(late.states == [.loaded(9), .loaded(10)])
    #expect(replaced.bystander.states.count == 11)
    let statistics = replaced.successor.statistics
    #expect((statistics.delivered, statistics.pending) == (missed.count + 1, 0))
    #expect(statistics.skipped == 9 - missed.count)
  }

  @Test("drain() waits for a waiting successor, unless it is cancelled", arguments: [false, true])
  func required_3_07_2_06_successor(cancels: Bool) async throws {
    let replaced = try await Replaced(on: .immediate)
    #expect(replaced.publisher.subscriptions.count == 2)
    let trial = Trial { await replaced.publisher.drain() }
    #expect(!trial.run().isOver)
    if cancels {
      #expect(replaced.successor.cancel() == .quiescent)
      #expect(replaced.successor.statistics.skipped == 1)
      try await trial.finish()
      #expect(replaced.subscriber.versions == [0, 1])
    } else {
      replaced.subscriber.gate.open()
      try await trial.finish()
      #expect(replaced.subscriber.versions == [0, 1, 1])
    }
  }

  @Test("a waiting successor gets the pending states of a released publisher", arguments: [true, false])
  func required_3_06_2_06_released(isImmediate: Bool) async throws {
    let (subscriber, bystander) = (makeHeldRecorder(), Recorder<Int>())
    var publisher: Publisher<Int>? = Publisher<Int>()
    let successor: Subscription
    do {
      let publisher = try #require(publisher)
      let place = Place(isImmediate ? .immediate : .queue)
      publisher.subscribe(bystander, on: place.context)
      publisher.subscribe(subscriber, on: .queue(DispatchQueue(label: "old")))
      try await subscriber.hold(publisher)
      successor = publisher.subscribe(subscriber, on: place.context, ifDuplicate: .replace)
      publisher.updateData(2)
    }
    publisher = nil
    #expect(successor.isActive)
    #expect(subscriber.versions == [0, 1])
    subscriber.gate.open()
    try await subscriber.wait(count: 4)
    #expect(subscriber.versions == [0, 1, 1, 2])
    #expect(subscriber.mostAtOnce == 1)
  }

  @Test("an immediate successor that had to wait is served after those that have joined later")
  func required_2_07_2_06_afterTheOthers() async throws {
    let (publisher, order, gate) = (publisher, Journal<String>(), makeGate())
    publisher.subscribe(recorder, on: .queue(DispatchQueue(label: "old"))) { _, _ in gate.pass() }
    try await gate.waitUntilHeld()
    publisher.subscribe(recorder, on: .immediate, ifDuplicate: .replace) { _, _ in order.add("successor") }
    publisher.subscribe(makeListener(), on: .immediate) { _, _ in order.add("other") }
    gate.open()
    await publisher.drain()
    publisher.updateData(1)
    #expect(order.entries == ["other", "successor", "other", "successor"])
  }

  @Test("an object that replaces itself in each of its deliveries, on the publishing thread, uses constant stack")
  func required_4_04_2_06_replacesItself() async throws {
    let (publisher, count, end) = (publisher, Locked(0), Event())
    @Sendable func subscribe(_ recorder: Recorder<Int>, on context: DeliveryContext) {
      publisher.subscribe(recorder, on: context, ifDuplicate: .replace) { recorder, _ in
        let number = count.withLock { count in
          count += 1
          return count
        }
        if number < 20_000 { subscribe(recorder, on: .immediate) } else { end.happen() }
      }
    }
    subscribe(recorder, on: .queue(DispatchQueue(label: "first")))
    try await end.wait()
    // Its closure holds the publisher.
    publisher.unsubscribe(recorder)
  }

  @Test("whatever a replacement releases is released after its replay, and may cancel it")
  func required_2_06_3_02_cancelledBeforeReplay() {
    let (publisher, recorder, executor) = (Publisher<DeinitAction>(), Recorder<DeinitAction>(), ManualExecutor())
    publisher.subscribe(recorder, on: .executor(executor))
    publisher.updateData(DeinitAction { publisher.unsubscribe(recorder) })
    publisher.reset()
    // The state that is pending for the old subscription cancels the new one.
    let new = publisher.subscribe(recorder, on: .immediate, ifDuplicate: .replace)
    #expect(!new.isActive)
    #expect(recorder.states.map(\.phase) == [.unknown])
    publisher.reset()
    #expect(recorder.states.count == 1)
    executor.runAll()
  }
}
