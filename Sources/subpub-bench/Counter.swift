import SubPub
import Synchronization

/// What every row delivers to: as cheap as a subscriber can be.
final class Counter: TypedSubscriber {
  // Deliveries never overlap, so a load and a store do.
  private let calls = Atomic<Int>(0)

  func receive(_ state: LoadState<[Int]>) { calls.store(count + 1, ordering: .relaxed) }

  var count: Int { calls.load(ordering: .relaxed) }
}

/// Stops when a run lost something, so that no figure is of work that wasn't done.
func check(_ counters: [Counter], _ expected: Int) {
  for counter in counters where counter.count != expected {
    fatalError("delivered \(counter.count) of \(expected)")
  }
}

/// The payload of every row.
let payload = [1, 2, 3]
