import Dispatch
import SubPub
import SubPubTesting
import Testing

// Rule 1.04. The deinits are in a file of their own.
extension Section1PublisherTests {
  @Test("every operation of another thread returns while a subscriber is held", arguments: ContextKind.holdable)
  func required_1_04_1_05_heldCallback(kind: ContextKind) async throws {
    let (place, publisher) = (makePlace(kind), publisher)
    let held = try await holdDelivery(of: publisher, on: place.context)
    try await OwnThread.run {
      for operation in Operation.allCases { operation.perform(at: publisher) }
      publisher.updateData(ifChanged: 9)
      for _ in 0..<100 { LockProbe.use(publisher) }
    }
    #expect(publisher.current.version == UInt64(Operation.allCases.count) + 102)
    #expect(held.versions.last == 1)
    await held.release(publisher)
    #expect(held.versions == Array(0...publisher.current.version))
  }

  @Test("no lock is held while a publish or isStale reads the clock")
  func required_1_04_clock() {
    let clock = CountingClock()
    let publisher = Publisher<Int>(staleAfter: .seconds(1), clock: clock)
    let probe = LockProbe(at: publisher)
    clock.whenRead { probe.run() }
    let uses: [@Sendable () -> Void] = [
      { publisher.updateData(1) }, { publisher.setState(.loaded(2)) }, { publisher.update { _ in .loaded(3) } },
      { publisher.updateData(ifChanged: 4) }, { _ = publisher.isStale },
    ]
    for use in uses {
      probe.arm()
      use()
      #expect(probe.hasRun)
    }
  }

  @Test("no lock is held while a transform runs; it runs again on a newer state", arguments: [false, true])
  func required_1_02_1_04_transform(throwing: Bool) {
    let (publisher, probe) = (publisher, LockProbe { [publisher] in publisher.updateData(10) })
    probe.arm()
    publisher.updateData(1)
    var seen: [LoadState<Int>] = []
    _ = try? publisher.update { state in
      seen.append(state)
      probe.run()
      if throwing { throw Failure.offline }
      return state.map { $0 + 1 }
    }
    #expect(seen == (throwing ? [.loaded(1)] : [.loaded(1), .loaded(10)]))
    #expect((publisher.state, publisher.current.version) == (.loaded(throwing ? 10 : 11), throwing ? 2 : 3))
  }

  @Test("no lock is held while values are compared, or errors by their descriptions")
  func required_1_04_equality() {
    let publisher = Publisher<ProbingValue>()
    let probe = LockProbe(at: publisher)
    publisher.updateData(ProbingValue(probe))
    probe.arm()
    publisher.updateData(ifChanged: ProbingValue(probe))
    #expect(probe.hasRun)

    // The values are states, whose errors are compared by description.
    let states = Publisher<LoadState<Int>>()
    let other = LockProbe(at: states)
    states.updateData(.error(ProbingError(other), previous: nil))
    other.arm()
    states.updateData(ifChanged: .error(ProbingError(other), previous: nil))
    #expect(other.hasRun)
  }

  @Test("no lock is held while a publisher describes its value or error")
  func required_1_04_description() {
    let publisher = Publisher<ProbingValue>()
    let probe = LockProbe(at: publisher)
    for state in [.loaded(ProbingValue(probe)), .error(ProbingError(probe), previous: nil)] as [LoadState] {
      publisher.setState(state)
      probe.arm()
      #expect(publisher.description.contains("probing"))
      #expect(probe.hasRun)
    }
  }

  // On a thread of its own, because a library that enqueues in a turn deadlocks with an executor that runs jobs at
  // once.
  @Test("no lock is held while a task executor enqueues for a replay, a publish, a hand-back or a replacement")
  func required_1_04_enqueue() async throws {
    let (publisher, recorder, chain) = (publisher, recorder, Event())
    let probe = LockProbe(at: publisher)
    let executor = InlineExecutor { probe.run() }
    try await OwnThread.run {
      probe.arm()
      publisher.subscribe(recorder, on: .executor(executor))
      #expect(probe.hasRun)
      probe.arm()
      publisher.updateData(1)
      #expect(probe.hasRun)

      // More deliveries than a lane makes before it hands its context back.
      publisher.subscribe(chain, on: .executor(executor)) { [weak publisher] chain, _ in
        chain.happen()
        if chain.count == 100 { probe.arm() }
        if chain.count < 600 { publisher?.republish() }
      }
    }
    // The lane comes back on another thread.
    try await chain.wait(count: 600)
    #expect(probe.hasRun)

    let held = makeHeldRecorder(at: publisher.current.version + 1)
    publisher.subscribe(held, on: .queue(DispatchQueue(label: "held")))
    try await held.hold(publisher)
    publisher.subscribe(held, on: .executor(executor), ifDuplicate: .replace)
    probe.arm()
    held.gate.open()
    try await probe.wait(times: 4)
    await publisher.drain()
    #expect(held.mostAtOnce == 1)
    #expect(recorder.publications.map(\.version) == Array(0...publisher.current.version))
  }

  @Test("no lock is held while an actor's executor enqueues, or is asked whether it isolates the caller")
  func required_1_04_serialExecutor() async throws {
    let publisher = publisher
    let probe = LockProbe(at: publisher)
    let host = ProbingHost(probe)
    let queue = host.executor.queue
    probe.arm()
    publisher.subscribe(recorder, on: .actor(host))
    #expect(probe.hasRun)
    // Behind the job that drains; then the lane is idle and has to be woken again.
    await queue.passed()
    probe.arm()
    publisher.updateData(1)
    #expect(probe.hasRun)
    await publisher.drain()

    // Outside of a task, so that the executor has to be asked. Nothing else is woken, so the publishing thread
    // delivers.
    publisher.unsubscribe(recorder)
    let event = Event()
    publisher.subscribe(event, on: .immediate) { event, state in
      guard state == .loaded(2) else { return }
      host.assumeIsolated { _ in event.happen() }
    }
    queue.async {
      probe.arm()
      publisher.updateData(2)
    }
    await queue.passed()
    #expect(probe.hasRun)
    // The other thread has republished 2 in the meantime.
    #expect(event.count == 2)
    await publisher.drain()
  }
}
