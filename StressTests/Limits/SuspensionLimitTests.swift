import Dispatch
import SubPub
import Support
import Testing

extension StressTests {
  @Test("one suspended queue among a thousand delays no other", .enabled(if: StressSettings.current.isLarge))
  func limit_2_08_oneSuspendedQueue() async {
    let crowd = QueueCrowd(1_000)
    var delays: [Int] = []
    _ = await measure("one suspended queue among 1,000") {
      // Alternates, so that other load on the machine affects both measurements.
      for _ in 0..<15 {
        let free = await crowd.latency()
        crowd.suspendOne()
        let held = await crowd.latency()
        await crowd.resumeOne()
        delays.append(held - free)
      }
      delays.sort()
      return
        "99th percentile of the others' latency later by \(delays[delays.count / 2] / 1_000) us (median of \(delays.count))"
    }
    #expect(delays[delays.count / 2] <= 1_000_000)
  }
}

/// A publisher with one subscriber on each of many queues.
private final class QueueCrowd: Sendable {
  private let publisher = Publisher<Int>()
  private let queues: [DispatchQueue]
  private let subscribers: [Timed]

  init(_ count: Int) {
    queues = (0..<count).map { DispatchQueue(label: "queue \($0)") }
    subscribers = (0..<count).map { _ in Timed() }
    for (queue, subscriber) in zip(queues, subscribers) {
      publisher.subscribe(subscriber, on: .queue(queue)) { $0.take($1) }
    }
  }

  func suspendOne() { queues[0].suspend() }

  func resumeOne() async {
    queues[0].resume()
    await publisher.drain()
  }

  /// The 99th percentile of the time that the others wait for a state, in nanoseconds.
  func latency() async -> Int {
    let others = subscribers.dropFirst()
    let served = Countdown(others.count)
    for subscriber in others { subscriber.expect(served) }
    let begin = Stamp.now()
    publisher.updateData(1)
    _ = await served.wait()
    let latencies = others.map { Int($0.last - begin) }.sorted()
    return latencies[latencies.count * 99 / 100]
  }
}

private final class Timed: Sendable {
  private let state = Guarded<(last: UInt64, served: Countdown?)>((0, nil))
  var last: UInt64 { state.with { $0.last } }
  func expect(_ served: Countdown) { state.with { $0.served = served } }

  func take(_ new: LoadState<Int>) {
    guard new.value != nil else { return }
    let stamp = Stamp.now()
    state.with { state in
      state.last = stamp
      return state.served.take()
    }?.arrive()
  }
}
