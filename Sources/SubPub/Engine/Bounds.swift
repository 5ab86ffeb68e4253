import Synchronization

/// The limit of a bounded buffer, and the counts that it needs.
///
/// An unbounded buffer skips nothing, so versions alone give the counts: everything before the gate's position was
/// delivered. With a bound, states in between may have been skipped.
final class Bounds: Sendable {
  let policy: BufferingPolicy
  /// The largest number of pending states.
  let limit: Int
  // Counters for statistics: nothing is ordered by them, so relaxed accesses are enough.
  private let deliveredCount = Atomic<Int>(0)
  private let lastDelivered = Atomic<UInt64>(0)

  /// Returns nil for an unbounded buffer.
  ///
  /// A function, because a failing initializer would allocate an object first.
  static func of(_ policy: BufferingPolicy) -> Bounds? {
    switch policy {
    case .unbounded: nil
    case .latest, .paced: Bounds(policy, limit: 1)
    case .newest(let count), .ending(let count): Bounds(policy, limit: count)
    }
  }

  private init(_ policy: BufferingPolicy, limit: Int) {
    self.policy = policy
    self.limit = limit
  }

  /// Whether the subscription ends when more states would be pending (2.11).
  var endsBeyondLimit: Bool { if case .ending = policy { true } else { false } }

  var delivered: Int { deliveredCount.load(ordering: .relaxed) }

  /// The version of the last state that was delivered, if any was.
  var lastVersion: UInt64 { lastDelivered.load(ordering: .relaxed) }

  /// Whether the state has to be delivered, which newer states may have made unnecessary (2.04).
  ///
  /// One that ends when it falls behind (2.11) always has: it ends before its lane knows the state that is too much.
  @inline(__always) func admits(_ version: UInt64, newest: UInt64) -> Bool { newest < version + UInt64(limit) }

  /// Counts a delivery that ends, on the thread that serves the lane.
  func countDelivery(of version: UInt64) {
    deliveredCount.store(delivered + 1, ordering: .relaxed)
    lastDelivered.store(version, ordering: .relaxed)
  }
}
