import SubPub
import Synchronization

/// Counts what comes, on any context.
final class Counter: TypedSubscriber {
  typealias Value = Int
  private let total: Tally
  private let reaction: (@Sendable (Int) -> Void)?
  private let received = Atomic<Int>(0)
  private let latest = Atomic<Int>(-1)

  init(_ total: Tally = Tally(), reaction: (@Sendable (Int) -> Void)? = nil) {
    self.total = total
    self.reaction = reaction
  }

  func receive(_ state: LoadState<Int>) {
    received.add(1, ordering: .relaxed)
    total.add()
    guard let value = state.value else { return }
    latest.store(value, ordering: .relaxed)
    reaction?(value)
  }

  var count: Int { received.load(ordering: .relaxed) }
  var last: Int { latest.load(ordering: .relaxed) }
}

/// A count that many share.
final class Tally: Sendable {
  private let total = Atomic<Int>(0)
  func add(_ count: Int = 1) { total.add(count, ordering: .relaxed) }
  var count: Int { total.load(ordering: .relaxed) }
}
