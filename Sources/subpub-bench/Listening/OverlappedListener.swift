import SubPub
import Synchronization

/// For a rival that delivers several values to one subscriber at once, in any order. Counts in one atomic step, and
/// arrives at a latch with the last one.
final class OverlappedListener: Receiver {
  private let delivered = Atomic<Int>(0)
  private let outOfOrder = Atomic<Int>(0)
  private let isOrdered: Bool
  private let expected: Int
  private let latch: Latch

  /// - Parameter isOrdered: Whether it is a fault when something comes out of order.
  init(isOrdered: Bool, expecting expected: Int, thenArrivingAt latch: Latch) {
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

  func check(published: Int) throws(Shortfall) {
    let shortfall = Shortfall(
      published: published, delivered: delivered.load(ordering: .relaxed),
      outOfOrder: isOrdered ? outOfOrder.load(ordering: .relaxed) : 0)
    guard shortfall.delivered == published, shortfall.outOfOrder == 0 else { throw shortfall }
  }
}
