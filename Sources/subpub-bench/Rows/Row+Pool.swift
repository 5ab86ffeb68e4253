import SubPub
import Synchronization

extension Row {
  /// Delivery on a pool of threads.
  static let pool: [Row] = [1, 10].map { subscribers in
    let publishes = 100_000 / subscribers
    return Row("pool, \(subscribers)", against: "actor, a task per delivery") {
      try await timePerDelivery(to: subscribers, publishing: publishes, isOrdered: true) { listeners in
        let contestant = PublisherBroadcaster(to: listeners, on: .background)
        await contestant.drain()
        return { contestant.publish(publishes) }
      }
    } rival: {
      // It keeps no order, so none is checked.
      try await timePerDelivery(to: subscribers, publishing: publishes, isOrdered: false) { listeners in
        let contestant = SpawningActor(to: listeners)
        return { await contestant.publish(publishes, of: Payload.ring) }
      }
    }
  }
}

/// Measures the time per delivery; `prepare` receives the listeners, and returns a function that publishes.
@concurrent
private func timePerDelivery(
  to subscribers: Int, publishing publishes: Int, isOrdered: Bool,
  prepare: @Sendable ([OverlappedListener]) async -> @Sendable () async -> Void
) async throws -> Double {
  let latch = Latch(subscribers)
  let listeners = (0..<subscribers).map { _ in
    OverlappedListener(isOrdered: isOrdered, expecting: publishes, latch: latch)
  }
  let publish = await prepare(listeners)
  let clock = ContinuousClock()
  let start = clock.now
  await publish()
  await latch.wait()
  let time = clock.now - start
  for listener in listeners { try listener.check(published: publishes) }
  return time.nanoseconds / Double(publishes * subscribers)
}

/// A subscriber for a rival that delivers several values to one subscriber at once, in any order.
///
/// It counts in one atomic step, and arrives at a latch with the last value.
final class OverlappedListener: Receiver {
  private let delivered = Atomic<Int>(0)
  private let outOfOrder = Atomic<Int>(0)
  private let isOrdered: Bool
  private let expected: Int
  private let latch: Latch

  /// Creates a subscriber, for which values out of order are an error if `isOrdered` is true.
  init(isOrdered: Bool, expecting expected: Int, latch: Latch) {
    self.isOrdered = isOrdered
    self.expected = expected
    self.latch = latch
  }

  func receive(_ state: LoadState<[Int]>) {
    guard case .loaded(let value) = state else { return }
    let before = delivered.add(1, ordering: .relaxed).oldValue
    if !Payload.isNext(value, after: before) { outOfOrder.add(1, ordering: .relaxed) }
    if before + 1 == expected { latch.arrive() }
  }

  func check(published: Int) throws(DeliveryError) {
    let failure = DeliveryError(
      published: published, delivered: delivered.load(ordering: .relaxed),
      outOfOrder: isOrdered ? outOfOrder.load(ordering: .relaxed) : 0)
    guard failure.delivered == published, failure.outOfOrder == 0 else { throw failure }
  }
}
