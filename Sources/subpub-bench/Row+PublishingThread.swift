import SubPub

extension Row {
  /// Deliveries on the publishing thread.
  static func publishingThread(_ subscribers: Int) -> Row {
    let rounds = max(10, 1_000_000 / subscribers)
    return Row(
      name: "publishing thread, \(subscribers)", rivalName: "locked weak loop", operations: rounds * subscribers
    ) {
      let counters = (0..<subscribers).map { _ in Counter() }
      let publisher = Publisher<[Int]>()
      for counter in counters { publisher.subscribe(counter, on: .immediate) }
      let time = ContinuousClock().measure {
        for _ in 0..<rounds { publisher.updateData(payload) }
      }
      check(counters, rounds + 1)
      return time
    } rival: {
      let counters = (0..<subscribers).map { _ in Counter() }
      let loop = WeakLoop(counters)
      let time = ContinuousClock().measure {
        for _ in 0..<rounds { loop.publish(.loaded(payload)) }
      }
      check(counters, rounds)
      return time
    }
  }
}
