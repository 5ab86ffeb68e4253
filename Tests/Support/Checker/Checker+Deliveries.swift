import SubPub

/// Order, overlap, context, bounds and statistics (1.02, 1.03, section 2).
extension Checker {
  func checkDeliveries(_ subscription: SubscriptionHistory) {
    let isReplaced = subscription.replacements > 0
    let needsEach = subscription.policy.skipsNothing && !isReplaced
    let needsTestThread = subscription.context == .immediate && history.isPublishedByTestThreads
    let overlapRule = isReplaced ? "2.06" : "2.02"
    let overlaps = subscription.overlaps
    expect(overlaps == 0, overlapRule, "\(overlaps) deliveries began inside another", of: subscription)
    var (before, breaks) = (Delivery?.none, 0)
    for delivery in subscription.deliveries {
      let version = delivery.version
      guard version <= states.last else {
        return expect(false, "1.01", "version \(version) is above \(states.last)", of: subscription)
      }
      if let before {
        expect(delivery.begin >= before.end, overlapRule, "\(version) overlaps the one before", of: subscription)
        if isReplaced, version != before.version &+ 1 { breaks += 1 }
        // A replacement replays a state that its predecessor may have delivered.
        let isLater = version > before.version || isReplaced && version == before.version
        expect(isLater, "1.02", "version \(version) after \(before.version)", of: subscription)
        if needsEach, version > before.version {
          let step = rank(version, subscription) - rank(before.version, subscription)
          expect(step == 1, "1.02", "version \(version) after \(before.version) leaves a gap", of: subscription)
        }
      }
      expect(delivery.isInPlace, "2.03", "version \(version) ran on another context", of: subscription)
      // A thread that has delivered 256 states for others leaves the rest to one of Dispatch.
      let isOnItsThread = !needsTestThread || delivery.isOnTestThread || version > 256
      expect(isOnItsThread, "2.03", "version \(version) ran on a thread that doesn't publish", of: subscription)
      let isPublished = delivery.begin >= states.callBegin[Int(version)]
      expect(isPublished, "2.09", "version \(version) was delivered before it was published", of: subscription)
      before = delivery
    }
    expect(
      breaks <= subscription.replacements, "2.06",
      "\(breaks) breaks in the order for \(subscription.replacements) replacements", of: subscription)
  }

  /// The first state is the one that was current when the subscription was made.
  func checkBegin(_ subscription: SubscriptionHistory) {
    guard let first = subscription.deliveries.first?.version, first <= states.last else { return }
    guard let replay = subscription.replay else {
      // Calls aren't replayed: a delegate gets none from before it was added, and all from after it.
      let isEarly = states.callEnd[Int(first)] < subscription.joining.begin
      expect(!isEarly, "2.01", "begins at \(first), too early", of: subscription)
      let isLate = states.callBegin[..<Int(first)].contains { $0 > subscription.joining.end }
      return expect(!isLate, "2.01", "begins at \(first), too late", of: subscription)
    }
    expect(first >= replay.lowerBound, "2.01", "begins at \(first), before \(replay)", of: subscription)
    guard subscription.policy.skipsNothing else { return }
    let isValues = subscription.interface == .values
    let latest = isValues ? rank(max(replay.upperBound, 1) - 1, subscription) + 1 : Int(replay.upperBound)
    expect(rank(first, subscription) <= latest, "2.01", "begins at \(first), after \(replay)", of: subscription)
  }

  /// Each subscription that stays gets the last state.
  func checkEnd(_ subscription: SubscriptionHistory) {
    guard subscription.isLasting else { return }
    let isValues = subscription.interface == .values
    // A later state of another phase may have superseded the last value.
    let isSuperseded = isValues && !subscription.policy.skipsNothing && states.phases[Int(states.last)] != 2
    let end = rank(states.last, subscription)
    // A sequence of values that was made after the last of them gets none.
    let start = subscription.replay.map { isValues ? rank(max($0.upperBound, 1) - 1, subscription) : -1 } ?? 0
    let last = subscription.deliveries.last.map { rank($0.version, subscription) } ?? start
    let rule = subscription.interface.isSequence ? "6.03" : history.isEnded ? "3.06" : "1.03"
    expect(last == end || isSuperseded, rule, "ends at \(last) and not at \(end)", of: subscription)
  }

  /// Counts the states that a subscription gets: a sequence of values gets only the loaded ones.
  private func rank(_ version: UInt32, _ subscription: SubscriptionHistory) -> Int {
    subscription.interface == .values ? Int(states.loaded[Int(min(version, states.last))]) : Int(version)
  }

  func checkCounts(_ subscription: SubscriptionHistory) {
    let bound = subscription.policy.bound ?? .max
    for counts in subscription.readings + [subscription.settled, subscription.closing].compactMap(\.self) {
      expect(
        counts.pending <= bound && counts.highWater <= bound, "2.04",
        "\(counts.pending) pending, at most \(counts.highWater), with bound \(bound)", of: subscription)
    }
    if let settled = subscription.settled {
      let isComplete = !subscription.policy.skipsNothing || settled.skipped == 0
      expect(isComplete, "2.01", "\(settled.skipped) skipped", of: subscription)
      // Nil before the first call of a delegate, which gets no replay.
      let last = settled.lastVersion ?? 0
      expect(last == states.last, "2.04", "counts up to \(last)", of: subscription)
      check(settled, isLasting: true, subscription)
    }
    if let closing = subscription.closing, subscription.interface != .values, subscription.replacements == 0 {
      check(closing, isLasting: false, subscription)
    }
  }

  /// Counts at rest, of a subscription that stays or has ended.
  private func check(_ counts: Counts, isLasting: Bool, _ subscription: SubscriptionHistory) {
    let (deliveries, delivered) = (subscription.deliveries, counts.delivered)
    expect(counts.pending == 0, "2.04", "\(counts.pending) pending at rest", of: subscription)
    guard !subscription.sharesDeliveries else { return }
    expect(
      delivered == deliveries.count, "2.04", "\(delivered) counted, \(deliveries.count) delivered", of: subscription)
    guard let replay = subscription.replay else { return }
    let total = delivered + counts.skipped
    let most = Int(states.last) - Int(replay.lowerBound) + 1
    let least = isLasting ? Int(states.last) - Int(replay.upperBound) + 1 : 0
    expect(
      total >= least && total <= most, "2.04",
      "\(delivered) delivered and \(counts.skipped) skipped, of \(least) to \(most)", of: subscription)
    let isCurrent = isLasting || counts.lastVersion == deliveries.last?.version
    expect(isCurrent, "2.04", "counts up to \(counts.lastVersion ?? 0)", of: subscription)
  }
}
