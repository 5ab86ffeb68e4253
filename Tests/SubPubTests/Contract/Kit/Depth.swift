import Synchronization

/// How many calls are on top of each other, and how many there were at most.
final class Depth: Sendable {
  private let now = Atomic<Int>(0)
  private let most = Atomic<Int>(0)

  func enter() { most.max(now.add(1, ordering: .relaxed).newValue, ordering: .relaxed) }
  func leave() { now.subtract(1, ordering: .relaxed) }
  var deepest: Int { most.load(ordering: .relaxed) }
}
