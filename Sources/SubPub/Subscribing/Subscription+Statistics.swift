extension Subscription {
  /// Counts of states. What was put into the buffer is delivered, skipped, pending, or under way (rule 2.04).
  public struct Statistics: Hashable, Sendable {
    /// Deliveries that have ended.
    public var delivered: Int
    /// States that the buffering policy, or the end of the subscription, dropped.
    public var skipped: Int
    /// States that wait.
    public var pending: Int
    /// The most that ever waited.
    public var highWater: Int
    /// The version of the last delivery that has ended. Nil where a subscription stands for several publishers: versions
    /// belong to one.
    public var lastVersion: UInt64?
  }

  /// The counts at this moment. Callable from any thread; while deliveries go on, the counts are of moments close to each other.
  public var statistics: Statistics { host.statistics(of: self) }

  /// The counts, of one that lives where `newest` is the ordinal of the newest state.
  func counts(upTo newest: @autoclosure () -> UInt64) -> Statistics {
    // The order matters: what is read later is never behind.
    let reading = gate.reading
    let closedAt = gate.closedAt
    let position = position(at: reading)
    let newest = max(closedAt ?? newest(), position)
    let underWay = reading.isUnderWay ? 1 : 0
    let put = Int(newest - joinedAfter)

    let delivered: Int
    let last: UInt64
    if let bounds {
      (delivered, last) = (bounds.delivered, bounds.last)
    } else {
      // Unbounded skips nothing, so everything up to the one under way was delivered.
      last = position - UInt64(underWay)
      delivered = Int(last - joinedAfter)
    }
    let pending =
      closedAt != nil
      ? 0 : bounds?.pending(after: position, newest: newest) ?? Int(newest - position)
    return Statistics(
      delivered: delivered,
      skipped: max(0, put - delivered - pending - underWay),
      pending: pending,
      highWater: max(highWater, pending, put > 0 ? 1 : 0),
      lastVersion: delivered > 0 ? last - 1 : nil)
  }
}

extension Subscription.Statistics: CustomStringConvertible {
  /// The counts in words.
  public var description: String {
    let last = lastVersion.map { ", last version \($0)" } ?? (delivered == 0 ? ", nothing delivered yet" : "")
    return "\(delivered) delivered, \(skipped) skipped, \(pending) pending (at most \(highWater))\(last)"
  }
}
