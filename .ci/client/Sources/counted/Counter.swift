import SubPub
import Synchronization

/// A subscriber that does almost nothing.
final class Counter: TypedSubscriber {
  private let received = Atomic<Int>(0)

  func receive(_ state: LoadState<[Int]>) { received.store(count &+ 1, ordering: .relaxed) }

  var count: Int { received.load(ordering: .relaxed) }
}
