import Dispatch
import SubPub
import SubPubTesting
import Testing

// Rule 1.04: what is called while foreign code runs on this thread, from another. The deaths are in a file of their own.
extension Section1PublisherTests {
  @Test("while a subscriber's code runs, others read, publish, subscribe and cancel", arguments: ContextKind.allCases)
  func required_1_04_callback(kind: ContextKind) async throws {
    let (place, publisher) = (Place(kind), publisher)
    let intrusion = Intrusion(at: publisher)
    intrusion.arm()
    // The replay: the lane is served for the first time. Then a publish that finds it idle.
    for _ in 0..<2 {
      publisher.subscribe(recorder, on: place.context) { recorder, state in
        intrusion.strike()
        recorder.receive(state)
      }
      await publisher.drain()
      #expect(intrusion.hasStruck)
      intrusion.arm()
      publisher.updateData(1)
      await publisher.drain()
      #expect(intrusion.hasStruck)
      intrusion.arm()
    }
  }

  @Test("while a subscriber is held, other threads make a hundred publishes", arguments: ContextKind.holdable)
  func required_1_04_heldCallback(kind: ContextKind) async throws {
    let (place, publisher, held) = (Place(kind), publisher, HeldRecorder())
    defer { held.gate.open() }
    publisher.subscribe(held, on: place.context)
    await held.hold(publisher)
    try await OwnThread.run { for _ in 0..<100 { Intrusion.use(publisher) } }
    #expect(held.versions.last == 1)
    held.gate.open()
    await publisher.drain()
    #expect(held.versions == Array(0...101))
  }

  @Test("while the clock is read: by the initialiser's stopwatch, a publish, or isStale")
  func required_1_04_clock() {
    let clock = PublishingTests.CountingClock()
    let publisher = Publisher<Int>(staleAfter: .seconds(1), clock: clock)
    let intrusion = Intrusion(at: publisher)
    clock.whenRead { intrusion.strike() }
    let uses: [@Sendable () -> Void] = [
      { publisher.updateData(1) }, { publisher.setState(.loaded(2)) }, { publisher.update { _ in .loaded(3) } },
      { publisher.updateData(ifChanged: 4) }, { _ = publisher.isStale },
    ]
    for use in uses {
      intrusion.arm()
      use()
      #expect(intrusion.hasStruck)
    }
  }

  @Test("while a transform runs, which then runs again", arguments: [false, true])
  func required_1_04_transform(throwing: Bool) {
    let intrusion = Intrusion(at: publisher)
    intrusion.arm()
    publisher.updateData(1)
    _ = try? publisher.update { state in
      intrusion.strike()
      if throwing { throw Operation.Failure.offline }
      return .loading(previous: state.value)
    }
    #expect(intrusion.hasStruck)
    #expect(publisher.current.version == (throwing ? 2 : 3))
  }

  @Test("while == runs, of a value or for the description of an error")
  func required_1_04_equality() {
    let publisher = Publisher<StruckValue>()
    let intrusion = Intrusion(at: publisher)
    publisher.updateData(StruckValue(intrusion))
    intrusion.arm()
    publisher.updateData(ifChanged: StruckValue(intrusion))
    #expect(intrusion.hasStruck)

    // The states of another publisher as values: their errors are compared by description.
    let states = Publisher<LoadState<Int>>()
    let other = Intrusion(at: states)
    states.updateData(.error(StruckError(other), previous: nil))
    other.arm()
    states.updateData(ifChanged: .error(StruckError(other), previous: nil))
    #expect(other.hasStruck)
  }

  @Test("while an error or a value is described, for a description of the publisher")
  func required_1_04_description() {
    let publisher = Publisher<StruckValue>()
    let intrusion = Intrusion(at: publisher)
    publisher.updateData(StruckValue(intrusion))
    intrusion.arm()
    #expect(publisher.description.contains("struck"))
    #expect(intrusion.hasStruck)
    publisher.setError(StruckError(intrusion))
    intrusion.arm()
    #expect(publisher.description.contains("struck"))
    #expect(intrusion.hasStruck)
  }

  // An executor that runs its jobs at once would deadlock in a turn: so that a fault is no hang, not on this thread.
  @Test("while a task executor enqueues: for a replay, a publish, a hand-back, after a replacement")
  func required_1_04_enqueue() async throws {
    let (publisher, recorder, chain) = (publisher, recorder, Event())
    let intrusion = Intrusion(at: publisher)
    let executor = InlineExecutor { intrusion.strike() }
    try await OwnThread.run {
      intrusion.arm()
      publisher.subscribe(recorder, on: .executor(executor))
      #expect(intrusion.hasStruck)
      intrusion.arm()
      publisher.updateData(1)
      #expect(intrusion.hasStruck)

      // More deliveries than a drain does without handing its context back.
      publisher.subscribe(chain, on: .executor(executor)) { [weak publisher] chain, _ in
        chain.happen()
        if chain.count == 100 { intrusion.arm() }
        if chain.count < 600 { publisher?.republish() }
      }
      #expect(chain.count >= 600)
      #expect(intrusion.hasStruck)
    }

    let held = HeldRecorder(at: publisher.current.version + 1)
    defer { held.gate.open() }
    publisher.subscribe(held, on: .queue(DispatchQueue(label: "held")))
    await held.hold(publisher)
    publisher.subscribe(held, on: .executor(executor), ifDuplicate: .replace)
    intrusion.arm()
    held.gate.open()
    try await intrusion.wait(times: 4)
    await publisher.drain()
    #expect(held.mostAtOnce == 1)
  }

  @Test("while an actor's executor enqueues, or is asked whether it isolates")
  func required_1_04_serialExecutor() async throws {
    let publisher = publisher
    let intrusion = Intrusion(at: publisher)
    let executor = StruckExecutor(intrusion)
    let host = StruckHost(executor)
    intrusion.arm()
    publisher.subscribe(recorder, on: .actor(host))
    #expect(intrusion.hasStruck)
    // Behind the job that drains: the lane is at rest then, and has to be woken again.
    let rested = Event()
    executor.queue.async { rested.happen() }
    try await rested.wait()
    intrusion.arm()
    publisher.updateData(1)
    #expect(intrusion.hasStruck)
    await publisher.drain()

    // Not in a task, so that the executor has to be asked.
    let witness = Event()
    publisher.subscribe(witness, on: .immediate) { witness, state in
      guard state == .loaded(2) else { return }
      host.assumeIsolated { _ in witness.happen() }
    }
    let done = Event()
    executor.queue.async {
      intrusion.arm()
      publisher.updateData(2)
      done.happen()
    }
    try await done.wait()
    #expect(intrusion.hasStruck)
    // Of 2, and of the same once more, which the other thread published meanwhile.
    #expect(witness.count == 2)
    await publisher.drain()
  }

  @Test("an executor may run its jobs inside enqueue, and their subscribers publish")
  func required_1_04_inlinePublish() async throws {
    let (publisher, recorder, second) = (publisher, recorder, Recorder<Int>())
    let executor = InlineExecutor()
    try await OwnThread.run {
      publisher.subscribe(recorder, on: .executor(executor))
      publisher.subscribe(second, on: .executor(executor)) { [weak publisher] second, state in
        second.receive(state)
        if second.states.count < 100 { publisher?.updateData(second.states.count) }
      }
      #expect(executor.jobs > 0)
      // All of it happened inside the subscribe.
      let expected: [LoadState<Int>] = [.unknown] + (1..<100).map { .loaded($0) }
      #expect(publisher.current.version == 99)
      #expect(second.states == expected)
      #expect(recorder.states == expected)
      publisher.updateData(100)
      #expect(recorder.states.last == .loaded(100))
      #expect(second.states.last == .loaded(100))
    }
  }
}
