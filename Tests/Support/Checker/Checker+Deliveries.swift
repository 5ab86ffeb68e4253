import SubPub

/// Order, overlap, context (1.02, 1.03, 2.01 to 2.03, 2.09).
extension Checker {
  func checkDeliveries(_ subscription: SubscriptionHistory) {
    let isUnbounded = subscription.policy == .unbounded
    let needsTestThread = subscription.context == .immediate && history.isPublishedByTestThreads
    let isReplaced = subscription.replacements > 0
    var breaks = 0
    expect(
      subscription.overlaps == 0, isReplaced ? "2.06" : "2.02",
      "\(subscription.overlaps) deliveries began inside another, of \(subscription.name)")
    var before: Delivery?
    for delivery in subscription.deliveries {
      let version = delivery.version
      guard version <= states.last else {
        expect(false, "1.01", "version \(version) is above \(states.last), says \(subscription.name)")
        return
      }
      if let before {
        expect(
          delivery.begin >= before.end, isReplaced ? "2.06" : "2.02",
          "version \(version) overlaps the one before, of \(subscription.name)")
        if isReplaced, version != before.version &+ 1 { breaks += 1 }
        // A replacement replays a state that its predecessor may have delivered.
        expect(
          isReplaced ? version >= before.version : version > before.version, "1.02",
          "version \(version) after \(before.version), of \(subscription.name)")
        if isUnbounded, !isReplaced, version > before.version {
          let step = rank(version, subscription) - rank(before.version, subscription)
          expect(step == 1, "1.02", "version \(version) after \(before.version) leaves a gap, of \(subscription.name)")
        }
      }
      expect(delivery.isInPlace, "2.03", "version \(version) ran on another context, of \(subscription.name)")
      expect(
        !needsTestThread || delivery.isOnTestThread, "2.03",
        "version \(version) ran on a thread that doesn't publish, of \(subscription.name)")
      expect(
        delivery.begin >= states.callBegin[Int(version)], "2.09",
        "version \(version) was delivered before it was published, of \(subscription.name)")
      before = delivery
    }
    expect(
      breaks <= subscription.replacements, "2.06",
      "\(breaks) breaks in the order for \(subscription.replacements) replacements, of \(subscription.name)")
  }

  /// The first state is the one that was current when the subscription was made.
  func checkBegin(_ subscription: SubscriptionHistory) {
    guard let first = subscription.deliveries.first?.version, first <= states.last else { return }
    if let replay = subscription.replay {
      expect(first >= replay.lowerBound, "2.01", "begins at \(first), before \(replay), of \(subscription.name)")
      guard subscription.policy == .unbounded else { return }
      let isValues = subscription.interface == .values
      let latest = isValues ? rank(max(replay.upperBound, 1) - 1, subscription) + 1 : Int(replay.upperBound)
      expect(
        rank(first, subscription) <= latest, "2.01", "begins at \(first), after \(replay), of \(subscription.name)")
    } else {
      // Calls aren't replayed: a delegate gets none from before it was added, and all from after it.
      expect(
        states.callEnd[Int(first)] >= subscription.joining.begin, "2.01",
        "begins at \(first), too early, of \(subscription.name)")
      let isLate = (0..<Int(first)).contains { states.callBegin[$0] > subscription.joining.end }
      expect(!isLate, "2.01", "begins at \(first), too late, of \(subscription.name)")
    }
  }

  /// Each subscription that stays gets the last state.
  func checkEnd(_ subscription: SubscriptionHistory) {
    guard subscription.isLasting else { return }
    let isValues = subscription.interface == .values
    // A later state of another phase may have superseded the last value.
    let isSuperseded = isValues && subscription.policy != .unbounded && states.phases[Int(states.last)] != 2
    let end = rank(states.last, subscription)
    // A sequence of values that was made after the last of them gets none.
    let start = subscription.replay.map { isValues ? rank(max($0.upperBound, 1) - 1, subscription) : -1 } ?? 0
    let last = subscription.deliveries.last.map { rank($0.version, subscription) } ?? start
    let rule = subscription.interface.isSequence ? "6.03" : history.isEnded ? "3.06" : "1.03"
    expect(last == end || isSuperseded, rule, "ends at \(last) and not at \(end), of \(subscription.name)")
    if subscription.isHeld { checkHeld(subscription) }
  }

  /// Counts the states that a subscription gets: a sequence of values gets only the loaded ones.
  func rank(_ version: UInt32, _ subscription: SubscriptionHistory) -> Int {
    subscription.interface == .values ? Int(states.loaded[Int(min(version, states.last))]) : Int(version)
  }
}
