import Dispatch
import SubPub
import SubPubTesting
import Synchronization
import Testing

@Suite("A drain hands its context back, so that a flood starves nothing else there", .timeLimit(.minutes(1)))
struct HandBackTests {
  @Test("what else is on a serial queue has its turn after 256 deliveries")
  func required_2_08_serialQueue() async {
    let publisher = Publisher<Int>()
    let chain = Chain(publisher, length: 10_000)
    let (queue, gate) = (DispatchQueue(label: "shared"), Gate())
    publisher.subscribe(chain, on: .queue(queue)) { chain, _ in
      gate.pass()
      chain.receive()
    }
    await gate.waitUntilHeld()
    // Behind the drain that is held in its first delivery.
    let seen = await withCheckedContinuation { (seen: CheckedContinuation<Int, Never>) in
      queue.async { seen.resume(returning: chain.deliveries.load(ordering: .relaxed)) }
      gate.open()
    }
    #expect((1...256).contains(seen))
    await publisher.drain()
  }

  /// The clock is read before the 2nd delivery, the 4th, the 8th, the 16th, and from then on before each 16th.
  @Test("and after about a millisecond, which is at most 15 slow deliveries", arguments: zip([0, 32], [3, 47]))
  func required_2_08_slowDeliveries(quick: Int, most: Int) async {
    // A thread that gets between lets the drain hand back sooner, never later. One attempt of five is undisturbed.
    for _ in 0..<5 {
      let (publisher, count) = (Publisher<Int>(), Locked(0))
      let (queue, gate) = (DispatchQueue(label: "shared"), Gate())
      let subscription = publisher.subscribe(count, on: .queue(queue)) { count, _ in
        gate.pass()
        let number = count.withLock { count in
          count += 1
          return count
        }
        if number > quick { Self.work(.milliseconds(1)) }
      }
      await gate.waitUntilHeld()
      for number in 1...100 { publisher.updateData(number) }
      // Behind the drain that is held in its first delivery.
      let seen = await withCheckedContinuation { (seen: CheckedContinuation<Int, Never>) in
        queue.async { seen.resume(returning: count.withLock { $0 }) }
        gate.open()
      }
      #expect((1...most).contains(seen))
      subscription.cancel()
    }
  }

  /// Keeps the processor busy for that time.
  private static func work(_ time: DispatchTimeInterval) {
    let end = DispatchTime.now() + time
    while DispatchTime.now() < end {}
  }

  private actor Mill {
    private let end: Event
    init(_ end: Event) { self.end = end }
    deinit { end.happen() }
  }

  @Test("an actor that floods itself is let go of all the same")
  func required_2_05_floodedActor() async throws {
    let (publisher, count, gone) = (Publisher<Int>(), Locked(0), Event())
    // The only one who holds it, up to the 1,000th delivery.
    let mill = Locked<Mill?>(Mill(gone))
    let subscription = publisher.subscribe(count, on: .actor(try #require(mill.withLock { $0 }))) {
      [weak publisher] count, _ in
      let isEnough = count.withLock { count in
        count += 1
        return count == 1_000
      }
      if isEnough { mill.withLock { $0.take() } }
      // Each delivery publishes the next, as long as there is somebody to deliver to.
      publisher?.republish()
    }
    try await gone.wait()
    #expect(count.withLock { $0 } >= 1_000)
    #expect(!subscription.isActive)
  }
}
