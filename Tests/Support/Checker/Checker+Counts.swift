import SubPub

/// Bounds and statistics (2.04).
extension Checker {
  func checkCounts(_ subscription: SubscriptionHistory) {
    if let bound = subscription.policy.bound {
      for counts in subscription.readings + [subscription.settled, subscription.closing].compactMap({ $0 }) {
        expect(
          counts.pending <= bound && counts.highWater <= bound, "2.04",
          "\(counts.pending) pending, at most \(counts.highWater), with bound \(bound), of \(subscription.name)")
      }
    }
    if let settled = subscription.settled { check(settled, ofLasting: true, subscription) }
    if let closing = subscription.closing, subscription.interface != .values, subscription.replacements == 0 {
      check(closing, ofLasting: false, subscription)
    }
  }

  /// Counts at rest, of a subscription that stays or has ended.
  private func check(_ counts: Counts, ofLasting isLasting: Bool, _ subscription: SubscriptionHistory) {
    let (deliveries, name) = (subscription.deliveries, subscription.name)
    expect(counts.pending == 0, "2.04", "\(counts.pending) pending at rest, of \(name)")
    if isLasting {
      expect(
        subscription.policy != .unbounded || counts.skipped == 0, "2.01", "\(counts.skipped) skipped, of \(name)")
      // Nil before the first call of a delegate, which gets no replay.
      expect((counts.lastVersion ?? 0) == states.last, "2.04", "counts up to \(counts.lastVersion ?? 0), of \(name)")
    }
    guard !subscription.sharesDeliveries else { return }
    expect(
      counts.delivered == deliveries.count, "2.04",
      "\(counts.delivered) counted, \(deliveries.count) delivered, of \(name)")
    guard let replay = subscription.replay else { return }
    let total = counts.delivered + counts.skipped
    let most = Int(states.last) - Int(replay.lowerBound) + 1
    let least = isLasting ? Int(states.last) - Int(replay.upperBound) + 1 : 0
    expect(
      total >= least && total <= most, "2.04",
      "\(counts.delivered) delivered and \(counts.skipped) skipped, of \(least) to \(most), of \(name)")
    expect(
      isLasting || counts.lastVersion == deliveries.last?.version, "2.04",
      "counts up to \(counts.lastVersion ?? 0), of \(name)")
  }

  /// Exactly the states that the policy keeps are left, after all were pending.
  func checkHeld(_ subscription: SubscriptionHistory) {
    guard let first = subscription.replay?.lowerBound else { return }
    let kept = Array(first...states.last).suffix(subscription.policy.bound ?? .max)
    let versions = subscription.deliveries.map(\.version)
    expect(
      versions == Array(kept), "2.04", "got \(versions.prefix(9)) of \(kept.prefix(9)), of \(subscription.name)")
  }
}
