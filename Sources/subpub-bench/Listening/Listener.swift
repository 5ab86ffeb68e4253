import SubPub
import Synchronization

/// What most rows deliver to: as cheap as a subscriber that checks the order can be.
final class Listener: Receiver {
  // Deliveries of one subscriber never overlap, so a load and a store do; and one delivery happens before the next.
  private let delivered = Atomic<Int>(0)
  private let outOfOrder = Atomic<Int>(0)

  func receive(_ state: LoadState<[Int]>) {
    // The replay of a new publisher is `unknown`.
    guard case .loaded(let value) = state else { return }
    let before = delivered.load(ordering: .relaxed)
    if !Payload.isNext(value, after: before) { outOfOrder.add(1, ordering: .relaxed) }
    delivered.store(before &+ 1, ordering: .relaxed)
  }

  func check(published: Int) throws(Shortfall) {
    let shortfall = Shortfall(
      published: published, delivered: delivered.load(ordering: .relaxed),
      outOfOrder: outOfOrder.load(ordering: .relaxed))
    guard shortfall.delivered == published, shortfall.outOfOrder == 0 else { throw shortfall }
  }
}
