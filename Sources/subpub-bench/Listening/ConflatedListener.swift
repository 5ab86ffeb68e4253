import SubPub
import Synchronization

/// May be skipped, but must see the counters rise, and the last one, with which it arrives at a latch.
final class ConflatedListener: Receiver {
  // Deliveries of one subscriber never overlap, so loads and stores do.
  private let newest = Atomic<Int>(0)
  private let outOfOrder = Atomic<Int>(0)
  private let last: Int
  private let latch: Latch

  init(last: Int, thenArrivingAt latch: Latch) {
    self.last = last
    self.latch = latch
  }

  func receive(_ state: LoadState<[Int]>) {
    guard case .loaded(let value) = state else { return }
    if value[0] <= newest.load(ordering: .relaxed) { outOfOrder.add(1, ordering: .relaxed) }
    newest.store(value[0], ordering: .relaxed)
    if value[0] == last { latch.arrive() }
  }

  func check(published: Int) throws(Shortfall) {
    let shortfall = Shortfall(
      published: published, delivered: newest.load(ordering: .relaxed),
      outOfOrder: outOfOrder.load(ordering: .relaxed))
    guard shortfall.delivered == published, shortfall.outOfOrder == 0 else { throw shortfall }
  }
}
