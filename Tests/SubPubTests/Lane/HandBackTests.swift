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

  @Test("an actor that floods itself is let go of all the same")
  func required_2_05_floodedActor() async {
    actor Mill {
      let gone: Gate
      init(_ gone: Gate) { self.gone = gone }
      deinit { gone.open() }
    }
    let (publisher, gone) = (Publisher<Int>(), Gate())
    // Each delivery publishes the next, as long as there is somebody to deliver to.
    let subscriber = Recorder<Int>()
    func flood() -> Subscription {
      publisher.subscribe(subscriber, on: .actor(Mill(gone))) { [weak publisher] _, _ in publisher?.publish() }
    }
    let subscription = flood()
    await withCheckedContinuation { (done: CheckedContinuation<Void, Never>) in
      DispatchQueue(label: "waits").async {
        gone.pass()
        done.resume()
      }
    }
    #expect(!subscription.isActive)
  }
}
