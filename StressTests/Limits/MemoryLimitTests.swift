import Dispatch
import SubPub
import Support
import Testing

extension StressTests {
  @Test(
    "under every bound a slow subscriber leaves memory flat", .enabled(if: StressSettings.current.isLarge),
    arguments: [BufferingPolicy.latest, .newest(64)])
  func limit_2_04_aSlowSubscriber(policy: BufferingPolicy) async {
    let states = 1_000_000
    let (publisher, queue) = (Publisher<[UInt8]>(), DispatchQueue(label: "slow"))
    let slow = Slow()
    let subscription = publisher.subscribe(slow, on: .queue(queue), buffering: policy) { $0.take($1) }
    let grown = await measure("a slow subscriber, \(policy)") {
      // A kilobyte each, so a gigabyte if all were kept.
      for _ in 0..<states { publisher.updateData([UInt8](repeating: 1, count: 1_000)) }
      await publisher.drain()
      let counts = subscription.statistics
      #expect(counts.delivered + counts.skipped == states + 1)
      #expect(counts.highWater <= policy.bound ?? 0)
      return "\(counts)"
    }
    #expect(grown < 50)
  }

  @Test("a queue that stays suspended keeps one state", .enabled(if: StressSettings.current.isLarge))
  func limit_1_03_2_04_aSuspendedQueue() async {
    let states = 1_000_000
    let (publisher, queue, counter) = (Publisher<Int>(), DispatchQueue(label: "suspended"), Counter())
    queue.suspend()
    let subscription = publisher.subscribe(counter, on: .queue(queue), buffering: .latest)
    let grown = await measure("a suspended queue, a million states, latest") {
      for value in 1...states { publisher.updateData(value) }
      queue.resume()
      await publisher.drain()
      return "\(subscription.statistics)"
    }
    #expect(counter.count == 1)
    #expect(counter.last == states)
    #expect(subscription.statistics.skipped == states)
    #expect(grown < 50)
  }
}

private final class Slow: Sendable {
  func take(_ state: LoadState<[UInt8]>) { BusyWait.wait(20_000) }
}
