import SubPub
import Synchronization

/// Counts every call, replays too.
final class CallCounter: TypedSubscriber {
  // Deliveries of one subscriber never overlap, so a load and a store do.
  private let calls = Atomic<Int>(0)

  func receive(_ state: LoadState<[Int]>) { calls.store(calls.load(ordering: .relaxed) &+ 1, ordering: .relaxed) }

  func check(_ expected: Int) throws(Shortfall) {
    let delivered = calls.load(ordering: .relaxed)
    guard delivered == expected else { throw Shortfall(published: expected, delivered: delivered) }
  }
}
