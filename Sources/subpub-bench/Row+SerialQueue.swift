import Dispatch
import SubPub

extension Row {
  /// Deliveries on one serial queue.
  static func serialQueue(_ subscribers: Int) -> Row {
    let rounds = max(10, 500_000 / subscribers)
    return Row(
      name: "serial queue, \(subscribers)", rivalName: "one async per publish", operations: rounds * subscribers
    ) {
      let queue = DispatchQueue(label: "ours")
      let counters = (0..<subscribers).map { _ in Counter() }
      let publisher = Publisher<[Int]>()
      for counter in counters { publisher.subscribe(counter, on: .queue(queue)) }
      await publisher.drain()
      let time = await ContinuousClock().measure {
        for _ in 0..<rounds { publisher.updateData(payload) }
        await publisher.drain()
      }
      check(counters, rounds + 1)
      return time
    } rival: {
      let queue = DispatchQueue(label: "rival")
      let counters = (0..<subscribers).map { _ in Counter() }
      let loop = WeakLoop(counters)
      let time = ContinuousClock().measure {
        for _ in 0..<rounds { queue.async { loop.publish(.loaded(payload)) } }
        queue.sync {}
      }
      check(counters, rounds)
      return time
    }
  }
}
