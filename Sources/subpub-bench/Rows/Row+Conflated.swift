import Dispatch
import SubPub
import Synchronization

extension Row {
  /// The time for each publish with `.latest` under load, until the last state has been delivered.
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
    let listeners = (0..<subscribers).map { _ in ConflatedListener(last: flood, latch: latch) }
    let publisher = Publisher<[Int]>()
    let queue = DispatchQueue(label: "ours")
    let subscriptions = listeners.map { publisher.subscribe($0, on: .queue(queue), buffering: .latest) }
    await publisher.drain()
    let time = await timePerPublish(until: latch) { publisher.updateData([$0]) }
    await publisher.drain()
    for listener in listeners { try listener.check(published: flood) }
    for subscription in subscriptions {
      // The replay was delivered or skipped as well.
      let statistics = subscription.statistics
      let count = statistics.delivered + statistics.skipped
      guard count == flood + 1 else { throw DeliveryError(published: flood + 1, delivered: count) }
    }
    return time
  }

  @concurrent
  private static func rival(_ subscribers: Int) async throws -> Double {
    let latch = Latch(subscribers)
    let listeners = (0..<subscribers).map { _ in ConflatedListener(last: flood, latch: latch) }
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

/// A subscriber whose states may be skipped, but that must see rising counters and the last one.
///
/// With the last one, it arrives at a latch.
final class ConflatedListener: Receiver {
  // Deliveries of one subscriber never overlap, so loads and stores are enough.
  private let newest = Atomic<Int>(0)
  private let outOfOrder = Atomic<Int>(0)
  private let last: Int
  private let latch: Latch

  init(last: Int, latch: Latch) {
    self.last = last
    self.latch = latch
  }

  func receive(_ state: LoadState<[Int]>) {
    guard case .loaded(let value) = state else { return }
    if value[0] <= newest.load(ordering: .relaxed) { outOfOrder.add(1, ordering: .relaxed) }
    newest.store(value[0], ordering: .relaxed)
    if value[0] == last { latch.arrive() }
  }

  func check(published: Int) throws(DeliveryError) {
    let failure = DeliveryError(
      published: published, delivered: newest.load(ordering: .relaxed),
      outOfOrder: outOfOrder.load(ordering: .relaxed))
    guard failure.delivered == published, failure.outOfOrder == 0 else { throw failure }
  }
}
