import Dispatch
import SubPub

extension Row {
  /// `.latest` under a flood: the time for each publish, until the last one has been delivered.
  static let conflated: [Row] = [1, 10].map { subscribers in
    Row("conflated on a queue, \(subscribers)", against: "DispatchSource, data replaced") {
      try await ours(subscribers)
    } rival: {
      try await rival(subscribers)
    }
  }

  private static let flood = 200_000

  @concurrent
  private static func ours(_ subscribers: Int) async throws -> Double {
    let latch = Latch(subscribers)
    let listeners = (0..<subscribers).map { _ in ConflatedListener(last: flood, thenArrivingAt: latch) }
    let publisher = Publisher<[Int]>()
    let queue = DispatchQueue(label: "ours")
    let subscriptions = listeners.map { publisher.subscribe($0, on: .queue(queue), buffering: .latest) }
    await publisher.drain()
    let time = await timePerPublish(until: latch) { publisher.updateData([$0]) }
    await publisher.drain()
    for listener in listeners { try listener.check(published: flood) }
    for subscription in subscriptions {
      // The replay, too, was delivered or skipped.
      let statistics = subscription.statistics
      let count = statistics.delivered + statistics.skipped
      guard count == flood + 1 else { throw Shortfall(published: flood + 1, delivered: count) }
    }
    return time
  }

  @concurrent
  private static func rival(_ subscribers: Int) async throws -> Double {
    let latch = Latch(subscribers)
    let listeners = (0..<subscribers).map { _ in ConflatedListener(last: flood, thenArrivingAt: latch) }
    let source = ReplacingSource(to: listeners, on: DispatchQueue(label: "rival"))
    let time = await timePerPublish(until: latch) { source.publish($0) }
    for listener in listeners { try listener.check(published: flood) }
    return time
  }

  private static func timePerPublish(until latch: Latch, _ publish: (Int) -> Void) async -> Double {
    let clock = ContinuousClock()
    let start = clock.now
    for counter in 1...flood { publish(counter) }
    await latch.wait()
    return (clock.now - start).nanoseconds / Double(flood)
  }
}
