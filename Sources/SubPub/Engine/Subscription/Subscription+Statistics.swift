import Synchronization

extension Subscription {
  /// The numbers of states that a subscription has received and dropped.
  ///
  /// Every state that was put into the buffer is delivered, skipped, pending, or under way (2.04).
  public struct Statistics: Hashable, Sendable {
    /// The number of deliveries that have ended.
    public var delivered: Int
    /// The number of states dropped by the buffering policy or by the end of the subscription.
    public var skipped: Int
    /// The number of states waiting to be delivered.
    public var pending: Int
    /// The largest number of states that were ever pending at once.
    public var highWater: Int
    /// The version of the last delivery that has ended; nil if none has.
    public var lastVersion: UInt64?
  }

  /// The present counts.
  ///
  /// Read them from any thread. While deliveries are going on, the counts may be from slightly different moments.
  public var statistics: Statistics {
    if let iteration = lane.iteration { return iteration.statistics }
    // The order matters: a value that is read later is never older than one that was read before.
    let reading = gate.reading
    let closedAt = gate.closedAt
    let next = reading.next
    // One past the newest version, like `next`.
    let end = max((closedAt ?? lane.exactNewest) + 1, next)
    let underWay = reading.isUnderWay ? 1 : 0
    let put = Int(end - firstVersion)

    // If nothing is skipped, everything before the delivery under way was delivered.
    let delivered = counts?.delivered ?? Int(next - firstVersion) - underWay
    let pending = closedAt == nil ? min(Int(end - next), lane.capacity) : 0
    let lastVersion = counts?.lastVersion ?? next &- UInt64(underWay) &- 1
    return Statistics(
      delivered: delivered,
      skipped: max(0, put - delivered - pending - underWay),
      pending: pending,
      highWater: max(highWater, pending, put > 0 ? 1 : 0),
      lastVersion: delivered > 0 ? lastVersion : nil)
  }
}

extension Subscription.Statistics: CustomStringConvertible {
  /// The counts in words, for logs.
  public var description: String {
    let last = lastVersion.map { ", last version \($0)" } ?? ", nothing delivered yet"
    return "\(delivered) delivered, \(skipped) skipped, \(pending) pending (at most \(highWater))\(last)"
  }
}

/// The deliveries to a subscription whose buffer skips states.
final class DeliveryCounts: Sendable {
  // Nothing is ordered by them, so relaxed accesses are enough.
  private let deliveredCount = Atomic<Int>(0)
  private let lastDelivered = Atomic<UInt64>(0)

  var delivered: Int { deliveredCount.load(ordering: .relaxed) }

  /// The version of the last state that was delivered, if any was.
  var lastVersion: UInt64 { lastDelivered.load(ordering: .relaxed) }

  /// Counts a delivery that ends, on the thread that serves the lane.
  func countDelivery(of version: UInt64) {
    deliveredCount.store(delivered + 1, ordering: .relaxed)
    lastDelivered.store(version, ordering: .relaxed)
  }
}
