import Dispatch
import SubPub
import SubPubTesting
import Synchronization
import Testing

@Suite("A lane hands its context back, so a flood of states starves nothing else there", .hangLimit)
struct HandBackTests {
  @Test(
    "other work on a serial queue runs after at most 256 deliveries",
    arguments: [BufferingPolicy.unbounded, .latest])
  func required_2_08_serialQueue(policy: BufferingPolicy) async throws {
    let publisher = Publisher<Int>()
    let chain = PublishChain(publisher, length: 10_000)
    let (queue, gate) = (DispatchQueue(label: "shared"), Gate())
    publisher.subscribe(chain, on: .queue(queue), buffering: policy) { chain, _ in
      gate.pass()
      chain.receive()
    }
    try await gate.waitUntilHeld()
    // Queued behind the lane, which is held in its first delivery.
    let seen = await withCheckedContinuation { (seen: CheckedContinuation<Int, Never>) in
      queue.async { seen.resume(returning: chain.deliveries.load(ordering: .relaxed)) }
      gate.open()
    }
    #expect((1...256).contains(seen))
    await publisher.drain()
  }

  /// The clock is read before deliveries 2, 4, 8 and 16, and from then on before every 16th.
  @Test("other work on a serial queue runs after a millisecond or so", arguments: zip([0, 32], [3, 47]))
  func required_2_08_slowDeliveries(quick: Int, most: Int) async throws {
    // Another thread can only make the lane hand back sooner. Of five attempts, one should run undisturbed.
    for _ in 0..<5 {
      let (publisher, count) = (Publisher<Int>(), Locked(0))
      let (queue, gate) = (DispatchQueue(label: "shared"), Gate())
      let subscription = publisher.subscribe(count, on: .queue(queue)) { count, _ in
        gate.pass()
        let number = count.withLock { count in
          count += 1
          return count
        }
        // Keeps the processor busy.
        let end = DispatchTime.now() + .milliseconds(number > quick ? 1 : 0)
        while DispatchTime.now() < end {}
      }
      try await gate.waitUntilHeld()
      for number in 1...100 { publisher.updateData(number) }
      // Queued behind the lane, which is held in its first delivery.
      let seen = await withCheckedContinuation { (seen: CheckedContinuation<Int, Never>) in
        queue.async { seen.resume(returning: count.withLock { $0 }) }
        gate.open()
      }
      #expect((1...most).contains(seen))
      subscription.cancel()
    }
  }

  private actor FloodedActor {
    private let end: Event
    init(_ end: Event) { self.end = end }
    deinit { end.happen() }
  }

  @Test("an actor is released even if its deliveries keep publishing")
  func required_2_05_floodedActor() async throws {
    let (publisher, count, gone) = (Publisher<Int>(), Event(), Event())
    // Holds the only strong reference, up to the 1,000th delivery.
    let actor = Locked<FloodedActor?>(FloodedActor(gone))
    let subscription = publisher.subscribe(count, on: .actor(try #require(actor.withLock { $0 }))) {
      [weak publisher] count, _ in
      count.happen()
      if count.count == 1_000 { actor.withLock { $0.take() } }
      // Each delivery publishes the next state.
      publisher?.republish()
    }
    try await gone.wait()
    #expect(count.count >= 1_000)
    #expect(!subscription.isActive)
  }
}
