import Dispatch
import SubPub
import SubPubTesting
import Support
import Testing

extension StressTests {
  @Test(
    "a bound is exact over ten million states", .enabled(if: StressSettings.current.isLarge),
    arguments: [1, 64, 1_024])
  func limit_2_04_exactBounds(bound: Int) async {
    var (random, left) = (SeededGenerator(seed: StressSettings.current.seed), 10_000_000)
    let (publisher, queue) = (Publisher<Int>(), DispatchQueue(label: "bounded"))
    let kept = Kept()
    let subscription = publisher.subscribe(kept, on: .queue(queue), buffering: .newest(bound)) { $0.take($1) }
    await publisher.drain()
    var (value, wrong, rounds) = (0, 0, 0)
    _ = await measure("bound \(bound), ten million states") {
      while left > 0 {
        let count = min(left, 1 + random.draw(4 * bound + 2_000))
        // Behind this, the lane has come to rest.
        await queue.passed()
        queue.suspend()
        for _ in 0..<count {
          value += 1
          publisher.updateData(value)
        }
        if subscription.statistics.pending != min(bound, count) { wrong += 1 }
        queue.resume()
        await publisher.drain()
        let all = value - count + 1...value
        if kept.removeAll() != Array(all.suffix(bound)) { wrong += 1 }
        left -= count
        rounds += 1
      }
      return "\(rounds) rounds, \(wrong) wrong; \(subscription.statistics)"
    }
    #expect(wrong == 0)
    #expect(subscription.statistics.highWater == bound)
  }
}

/// The states that were left by the bound.
private final class Kept: Sendable {
  private let values = Guarded<[Int]>([])
  func take(_ state: LoadState<Int>) { if let value = state.value { values.with { $0.append(value) } } }

  func removeAll() -> [Int] {
    values.with { values in
      defer { values.removeAll(keepingCapacity: true) }
      return values
    }
  }
}
