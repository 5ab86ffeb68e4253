import Dispatch
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

  /// A publisher with one subscriber on each of a thousand queues.
  @Test("one suspended queue among a thousand delays no other")
  func limit_2_08_oneSuspendedQueue() async {
    let publisher = Publisher<Int>()
    let queues = (0..<1_000).map { DispatchQueue(label: "queue \($0)") }
    let arrivals = queues.map { _ in Guarded<(last: UInt64, served: Countdown?)>((0, nil)) }
    for (queue, arrival) in zip(queues, arrivals) {
      publisher.subscribe(arrival, on: .queue(queue)) { arrival, state in
        guard state.value != nil else { return }
        let stamp = Stamp.now()
        arrival.with { arrival in
          arrival.last = stamp
          return arrival.served.take()
        }?.arrive()
      }
    }
    /// The 99th percentile of the time that all but the first wait for a state, in nanoseconds.
    func latency() async -> Int {
      let others = arrivals.dropFirst()
      let served = Countdown(others.count)
      for arrival in others { arrival.with { $0.served = served } }
      let begin = Stamp.now()
      publisher.updateData(1)
      _ = await served.wait()
      return others.map { Int($0.value.last - begin) }.sorted()[others.count * 99 / 100]
    }
    var delays: [Int] = []
    await measure("one suspended queue among 1,000") {
      // Alternates, so that other load on the machine affects both measurements.
      for _ in 0..<15 {
        let free = await latency()
        queues[0].suspend()
        delays.append(await latency() - free)
        queues[0].resume()
        await publisher.drain()
      }
      delays.sort()
      return "99th percentile of the others' latency later by \(delays[7] / 1_000) us (median of 15)"
    }
    #expect(delays[7] <= 1_000_000)
  }
}
