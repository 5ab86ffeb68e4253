import SubPub
import Synchronization

/// A subscriber that may miss states, but must see rising counters and the last one.
///
/// With the last one, it arrives at a latch.
final class SkippingListener: Receiver {
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

  /// Throws unless the last state that was published has arrived, and none after a newer one.
  func check(published: Int) throws(DeliveryError) {
    let failure = DeliveryError(
      published: published, delivered: newest.load(ordering: .relaxed),
      outOfOrder: outOfOrder.load(ordering: .relaxed))
    guard failure.delivered == published, failure.outOfOrder == 0 else { throw failure }
  }
}
