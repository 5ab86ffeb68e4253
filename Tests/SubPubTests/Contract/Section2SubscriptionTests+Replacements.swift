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

  @Test("nobody waits for a successor that has been woken and not yet served", arguments: [false, true])
  func required_2_03_2_06_wokenOnly(subscribes: Bool) async throws {
    let replaced = try await Replaced(on: .immediate)
    let (gate, isArmed) = (makeGate(), Locked(false))
    // The thread that ends the old delivery resumes this task, and then wakes the lane of the successor.
    let executor = InlineExecutor { if isArmed.withLock({ $0 }) { gate.pass() } }
    let waiting = Task(executorPreference: executor) { await replaced.old.cancelAndWait() }
    isArmed.withLock { $0 = true }
    replaced.subscriber.gate.open()
    try await gate.waitUntilHeld()
    let newcomer = Recorder<Int>()
    if subscribes {
      replaced.publisher.subscribe(newcomer, on: .immediate)
      #expect(newcomer.states == [.loaded(1)])
    }
    replaced.publisher.updateData(2)
    #expect(newcomer.states == (subscribes ? [.loaded(1), .loaded(2)] : []))
    #expect(replaced.bystander.states == [.unknown, .loaded(1), .loaded(2)])
    gate.open()
    await waiting.value
    await replaced.publisher.drain()
    #expect(replaced.subscriber.versions == [0, 1, 1, 2])
    #expect(replaced.subscriber.mostAtOnce == 1)
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
    let trial = PublishingTests.Trial { await replaced.publisher.drain() }
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

  @Test("a cancelled successor releases what it has missed")
  func required_3_05_2_06_missed() async throws {
    let (publisher, gate, deaths, object) = (Publisher<Deaths.Token>(), makeGate(), Deaths(), Event())
    publisher.subscribe(object, on: .queue(DispatchQueue(label: "old"))) { _, state in
      if state.phase == .loaded { gate.pass() }
    }
    publisher.updateData(deaths.makeToken())
    try await gate.waitUntilHeld()
    let successor = publisher.subscribe(object, on: .immediate, ifDuplicate: .replace) { _, _ in }
    for _ in 2...4 { publisher.updateData(deaths.makeToken()) }
    #expect(deaths.count == 0)
    successor.cancel()
    // The first is still being delivered, and the last is current.
    #expect(deaths.count == 2)
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

  /// How the successor that waits first ends.
  enum EarlyEnd: String, CaseIterable, Codable, Sendable { case replaced, replacedInOldLane, cancelled, unsubscribed }

  @Test("a successor waits even if the one before it has ended", arguments: EarlyEnd.allCases)
  func required_2_06_endedInBetween(end: EarlyEnd) async throws {
    let queues = (0..<3).map { DispatchQueue(label: "queue \($0)") }
    let subscriber = try await holdDelivery(of: publisher, on: .queue(queues[0]))
    let second = publisher.subscribe(
      subscriber, on: .queue(queues[end == .replacedInOldLane ? 0 : 1]), ifDuplicate: .replace)
    if end == .cancelled { #expect(second.cancel() == .quiescent) }
    if end == .unsubscribed { #expect(publisher.unsubscribe(subscriber) == .quiescent) }
    let context = second.isActive ? DeliveryContext.queue(queues[2]) : .immediate
    let third = publisher.subscribe(subscriber, on: context, ifDuplicate: .replace)
    publisher.updateData(2)
    // Whatever could start has started when the queues have run.
    for queue in queues.dropFirst() { await queue.passed() }
    #expect(third.statistics.delivered == 0)
    subscriber.gate.open()
    await publisher.drain()
    #expect(subscriber.mostAtOnce == 1)
    #expect(third.statistics.lastVersion == 2)
  }

  @Test("two successors that wait in one lane go on one after the other, and each gets what it missed")
  func required_2_06_2_01_two() async throws {
    let (publisher, first, second) = (publisher, makeHeldRecorder(), makeHeldRecorder(at: 2))
    publisher.subscribe(first, on: .queue(DispatchQueue(label: "first")))
    publisher.subscribe(second, on: .queue(DispatchQueue(label: "second")))
    try await first.hold(publisher)
    try await second.hold(publisher)
    publisher.subscribe(first, on: .immediate, buffering: .latest, ifDuplicate: .replace)
    let trial = PublishingTests.Trial { await publisher.drain() }
    #expect(!trial.run().isOver)
    publisher.subscribe(second, on: .immediate, ifDuplicate: .replace)
    for number in 3...5 { publisher.updateData(number) }
    #expect(second.versions == [0, 1, 2])
    second.gate.open()
    try await second.wait(count: 7)
    #expect(second.versions == [0, 1, 2, 2, 3, 4, 5])
    #expect(first.versions == [0, 1])
    // The drain waits for neither: the first has skipped the state of that moment, and the second came later.
    try await trial.finish()
    first.gate.open()
    await publisher.drain()
    #expect(first.versions == [0, 1, 5])
    #expect(first.mostAtOnce == 1 && second.mostAtOnce == 1)
  }

  @Test("a successor of two subscriptions waits for both")
  func required_2_06_bothPredecessors() async throws {
    let (publisher, listener, gates) = (publisher, makeListener(), [makeGate(), makeGate()])
    let queues = gates.map { _ in DispatchQueue(label: "old") }
    let old = zip(gates, queues).map { gate, queue in
      publisher.subscribe(listener, on: .queue(queue)) { _, state in if state == .loaded(1) { gate.pass() } }
    }
    publisher.updateData(1)
    for gate in gates { try await gate.waitUntilHeld() }
    let successor = publisher.subscribe(listener, on: .immediate, ifDuplicate: .replace) { _, _ in }
    gates[0].open()
    await old[0].cancelAndWait()
    // Its queue does whatever follows from the end of that delivery.
    await queues[0].passed()
    publisher.updateData(2)
    #expect(successor.statistics.delivered == 0)
    gates[1].open()
    await publisher.drain()
    #expect(successor.statistics.delivered == 2)
  }

  @Test("the states that a cancelled successor has missed die with it")
  func required_3_05_2_06_payloads() async throws {
    let (publisher, deaths, gate) = (Publisher<Deaths.Token>(), Deaths(), makeGate())
    publisher.subscribe(gate, on: .queue(DispatchQueue(label: "old"))) { gate, state in
      if state.phase == .loading { gate.pass() }
    }
    publisher.startLoading()
    try await gate.waitUntilHeld()
    let successor = publisher.subscribe(gate, on: .immediate, ifDuplicate: .replace) { _, _ in }
    for _ in 0..<5 { publisher.updateData(deaths.makeToken()) }
    publisher.reset()
    #expect(deaths.count == 0)
    #expect(successor.cancel() == .quiescent)
    #expect(deaths.count == 5)
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
