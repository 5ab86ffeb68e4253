import Synchronization

/// What a subscription with a bounded buffer needs beyond the others: which states to skip, and exact counts.
///
/// `window` is the only state that is not atomic. It belongs to the thread that drains the lane, or to the turn while
/// nobody drains; one hands it to the next through the lane's signal, which is what makes the class `Sendable`.
package final class Bounds: @unchecked Sendable {
  package enum Rule { case newest, oldest }

  let policy: BufferingPolicy
  package let rule: Rule
  package let limit: Int
  package private(set) var window: OldestWindow
  // Counters for whoever asks; nothing is ordered by them.
  private let windowFullAt: Atomic<UInt64>
  private let deliveredCount = Atomic<Int>(0)
  private let lastDelivered = Atomic<UInt64>(0)

  /// nil for a buffer without a bound.
  static func of(_ policy: BufferingPolicy, after ordinal: UInt64) -> Bounds? {
    switch policy {
    case .unbounded: nil
    case .latest: Bounds(policy, .newest, 1, after: ordinal)
    case .newest(let limit): Bounds(policy, .newest, limit, after: ordinal)
    case .oldest(let limit): Bounds(policy, .oldest, limit, after: ordinal)
    }
  }

  private init(_ policy: BufferingPolicy, _ rule: Rule, _ limit: Int, after ordinal: UInt64) {
    self.policy = policy
    self.rule = rule
    self.limit = limit
    window = OldestWindow(limit: limit, after: ordinal)
    windowFullAt = Atomic(window.fullAt)
  }

  /// See `OldestWindow.fullAt`.
  package var fullAt: UInt64 { windowFullAt.load(ordering: .relaxed) }
  /// How many of the newest are all that may wait; nil where others may.
  var newestLimit: Int? { rule == .newest ? limit : nil }
  package var delivered: Int { deliveredCount.load(ordering: .relaxed) }
  package var last: UInt64 { lastDelivered.load(ordering: .relaxed) }

  /// Whether the state still waits for this subscription, or was overtaken (rule 2.04). Takes it out of the window.
  /// On the draining thread.
  package func admits(_ ordinal: UInt64, newest: UInt64) -> Bool {
    switch rule {
    case .newest:
      return newest < ordinal + UInt64(limit)
    case .oldest:
      let admitted = window.take(ordinal, newest: newest)
      windowFullAt.store(window.fullAt, ordering: .relaxed)
      return admitted
    }
  }

  /// Which states an `oldest` buffer keeps for now. When nobody drains but the caller.
  func waiting(at newest: UInt64) -> ArraySlice<UInt64> {
    guard rule == .oldest else { return [] }
    window.catchUp(to: newest)
    windowFullAt.store(window.fullAt, ordering: .relaxed)
    return window.waiting
  }

  /// On the draining thread.
  package func delivered(_ ordinal: UInt64) {
    deliveredCount.store(delivered + 1, ordering: .relaxed)
    lastDelivered.store(ordinal, ordering: .relaxed)
  }

  /// How many wait, of a subscription that has been served up to `position`.
  func pending(after position: UInt64, newest: UInt64) -> Int {
    switch rule {
    case .newest: min(limit, Int(newest - position))
    case .oldest: OldestWindow.count(limit: limit, fullAt: fullAt, newest: newest)
    }
  }
}
