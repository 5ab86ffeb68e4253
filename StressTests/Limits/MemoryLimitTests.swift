import Dispatch
import SubPub
import Support
import Testing

extension StressTests {
  @Test(
    "under a bound, memory stays flat during a flood", .enabled(if: StressSettings.current.isLarge),
    arguments: [BufferingPolicy.latest, .newest(16), .newest(64)], [0, 20_000] as [UInt64])
  func limit_2_04_flood(policy: BufferingPolicy, nanoseconds: UInt64) async {
    let states = 10_000_000
    let (publisher, queue) = (Publisher<[UInt8]>(), DispatchQueue(label: "flooded"))
    let subscriber = Busy(nanoseconds: nanoseconds)
    let subscription = publisher.subscribe(subscriber, on: .queue(queue), buffering: policy) { $0.take($1) }
    let before = residentMegabytes ?? 0
    var most = before
    _ = await measure("a flood, \(policy), \(nanoseconds) ns for each delivery") {
      // A kilobyte each, so ten gigabytes if all were kept.
      for number in 1...states {
        publisher.updateData([UInt8](repeating: 1, count: 1_000))
        if number.isMultiple(of: 10_000) { most = max(most, residentMegabytes ?? 0) }
      }
      await publisher.drain()
      let counts = subscription.statistics
      #expect(counts.delivered + counts.skipped == states + 1)
      #expect(counts.highWater <= policy.bound ?? 0)
      return "\(counts); at most \(most) MB"
    }
    #expect(most - before < 50)
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

/// Takes a while for each state.
private final class Busy: Sendable {
  private let nanoseconds: UInt64

  init(nanoseconds: UInt64) { self.nanoseconds = nanoseconds }

  func take(_ state: LoadState<[UInt8]>) { if nanoseconds > 0 { BusyWait.wait(nanoseconds) } }
}
