import Dispatch
import Foundation
import Testing

extension StressTests {
  /// What takes minutes, or gigabytes if something is wrong.
  @Suite("Limits", .enabled(if: StressSettings.current.isLarge))
  struct LimitTests {}
}

extension StressTests.LimitTests {
  @Test("a bound is exact over ten million states", arguments: [1, 64, 1_024])
  func limit_2_04_exactBounds(bound: Int) async {
    var (random, left) = (SeededGenerator(seed: StressSettings.current.seed), 10_000_000)
    let (publisher, queue, kept) = (Publisher<Int>(), DispatchQueue(label: "bounded"), Guarded<[Int]>([]))
    let subscription = publisher.subscribe(kept, on: .queue(queue), buffering: .newest(bound)) { kept, state in
      if let value = state.value { kept.with { $0.append(value) } }
    }
    await publisher.drain()
    var (value, wrong) = (0, 0)
    await measure("bound \(bound), ten million states") {
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
        if kept.value != Array((value - count + 1...value).suffix(bound)) { wrong += 1 }
        kept.with { $0.removeAll(keepingCapacity: true) }
        left -= count
      }
      return "\(wrong) rounds are wrong; \(subscription.statistics)"
    }
    #expect(wrong == 0)
    #expect(subscription.statistics.highWater == bound)
  }

  /// With nil, the queue stays suspended until the end.
  @Test(
    "under a bound, memory stays flat during a flood", arguments: [BufferingPolicy.latest, .newest(16), .newest(64)],
    [0, 20_000, nil] as [UInt64?])
  func limit_1_03_2_04_flood(policy: BufferingPolicy, nanoseconds: UInt64?) async {
    let (states, bound) = (10_000_000, policy.bound ?? 0)
    let (publisher, queue, last) = (Publisher<(Int, [UInt8])>(), DispatchQueue(label: "flooded"), Guarded(0))
    if nanoseconds == nil { queue.suspend() }
    let subscription = publisher.subscribe(last, on: .queue(queue), buffering: policy) { last, state in
      last.with { $0 = state.value?.0 ?? 0 }
      BusyWait.wait(nanoseconds ?? 0)
    }
    let before = residentMegabytes ?? 0
    var most = before
    await measure("a flood, \(policy), \(nanoseconds.map { "\($0) ns for each delivery" } ?? "suspended")") {
      // A kilobyte each, so ten gigabytes if all were kept.
      for number in 1...states {
        publisher.updateData((number, [UInt8](repeating: 1, count: 1_000)))
        if number.isMultiple(of: 10_000) { most = max(most, residentMegabytes ?? 0) }
      }
      if nanoseconds == nil { queue.resume() }
      await publisher.drain()
      return "\(subscription.statistics); at most \(most) MB"
    }
    let counts = subscription.statistics
    #expect(counts.delivered + counts.skipped == states + 1)
    #expect(nanoseconds != nil || counts.delivered == bound)
    #expect(counts.highWater <= bound)
    #expect(last.value == states)
    #expect(most - before < 50)
  }

  @Test(
    "a million subscribers of one publisher, and one subscriber of each of a hundred thousand",
    arguments: [(1, 1_000_000), (100_000, 1)])
  func limit_1_03_2_01_2_05_crowds(publishers: Int, each: Int) async {
    let (queue, tally, count) = (DispatchQueue(label: "crowd"), Tally(), publishers * each)
    let publishers = (0..<publishers).map { _ in Publisher<Int>() }
    await measure("\(publishers.count) publishers with \(count) subscribers") {
      let crowd = (0..<count).map { _ in Guarded((states: 0, last: -1)) }
      for (index, one) in crowd.enumerated() {
        let context = each > 1 || index % 2 == 0 ? DeliveryContext.queue(queue) : .background
        publishers[index / each].subscribe(one, on: context) { one, state in
          tally.add()
          one.with { $0 = ($0.states + 1, state.value ?? $0.last) }
        }
      }
      for publisher in publishers { publisher.updateData(7) }
      for publisher in publishers { await publisher.drain() }
      #expect(tally.count == 2 * count)
      #expect(crowd.allSatisfy { $0.value == (2, 7) })
      #expect(publishers.allSatisfy { $0.subscriberCount == each })
      return withExtendedLifetime(crowd) { "\(tally.count) deliveries; \(residentMegabytes ?? 0) MB with all of them" }
    }
    for publisher in publishers { publisher.updateData(2) }
    for publisher in publishers { await publisher.drain() }
    #expect(tally.count == 2 * count)
    #expect(publishers.allSatisfy { $0.subscriberCount == 0 })
  }
}

/// Runs the body, and prints what it returns with time and memory.
func measure(_ name: String, _ body: () async -> String) async {
  let (before, begin) = (residentMegabytes, Stamp.now())
  let found = await body()
  let milliseconds = (Stamp.now() - begin) / 1_000_000
  let memory = before.map { "\($0) MB before, \(residentMegabytes ?? 0) MB after" } ?? "memory unknown"
  print("limit: \(name): \(found); \(milliseconds) ms; \(memory)")
}

/// The memory that the process has now; nil if the system doesn't tell.
var residentMegabytes: Int? {
  guard let text = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8) else { return nil }
  return text.split(separator: " ").dropFirst().first.flatMap { Int($0) }.map { ($0 * 4_096) >> 20 }
}
