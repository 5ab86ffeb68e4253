import SubPub

/// Order, overlap, context (1.02, 1.03, 2.01 to 2.03, 2.09).
extension Checker {
  func checkDeliveries(_ index: Int) {
    let history = course.histories[index]
    let isUnbounded = history.policy == .unbounded
    let onHammers = history.venue == .immediate && course.isPublishedByHammers
    let isReplaced = history.replacements > 0
    var returns = 0
    expect(
      history.overlaps == 0, isReplaced ? "2.06" : "2.02",
      "\(history.overlaps) deliveries began inside another, of \(history.name)")
    var before: DeliveryRecord?
    for delivery in history.deliveries {
      let version = delivery.version
      guard version <= states.last else {
        expect(false, "1.01", "version \(version) is above \(states.last), says \(history.name)")
        return
      }
      if let before {
        expect(delivery.begin >= before.end, "2.02", "version \(version) overlaps the one before, of \(history.name)")
        if isReplaced, version != before.version &+ 1 { returns += 1 }
        expect(
          version > before.version || isReplaced, "1.02",
          "version \(version) after \(before.version), of \(history.name)")
        if isUnbounded, !isReplaced, version > before.version {
          let step = rank(version, history) - rank(before.version, history)
          expect(step == 1, "1.02", "version \(version) after \(before.version) leaves a gap, of \(history.name)")
        }
      }
      expect(delivery.isInPlace, "2.03", "version \(version) came somewhere else, of \(history.name)")
      expect(!onHammers || delivery.isOnHammer, "2.03", "version \(version) came elsewhere, of \(history.name)")
      expect(
        delivery.begin >= states.callBegin[Int(version)], "2.09", "version \(version) came too soon, of \(history.name)"
      )
      before = delivery
    }
    expect(returns <= history.replacements, "2.06", "\(returns) breaks in the order, of \(history.name)")
  }

  /// The first state: the one at the time of joining.
  func checkBegin(_ history: History) {
    guard let first = history.deliveries.first?.version, first <= states.last else { return }
    if let replay = history.replay {
      expect(first >= replay.lowerBound, "2.01", "begins at \(first), below \(replay), of \(history.name)")
      guard history.policy == .unbounded else { return }
      let latest = history.face == .values ? rank(max(replay.upperBound, 1) - 1, history) + 1 : Int(replay.upperBound)
      expect(
        rank(first, history) <= latest, "2.01", "begins at \(first), above \(replay), of \(history.name)")
    } else {
      // Calls are not replayed: nothing from before joining, everything from after it.
      expect(
        states.callEnd[Int(first)] >= history.joining.begin, "2.01", "begins at \(first), too early, of \(history.name)"
      )
      let missed = (0..<Int(first)).contains { states.callBegin[$0] > history.joining.end }
      expect(!missed, "2.01", "begins at \(first), too late, of \(history.name)")
    }
  }

  /// The last state: nobody misses it.
  func checkEnd(_ history: History) {
    guard history.isLasting else { return }
    // A later state of another phase may have overtaken the last value.
    let isOvertaken = history.face == .values && history.policy != .unbounded && states.phases[Int(states.last)] != 2
    let end = rank(states.last, history)
    // A sequence of values that joined after the last of them gets none.
    let start = history.replay.map { history.face == .values ? rank(max($0.upperBound, 1) - 1, history) : -1 } ?? 0
    let last = history.deliveries.last.map { rank($0.version, history) } ?? start
    let rule = history.face.isSequence ? "6.03" : course.isEnded ? "3.06" : "1.03"
    expect(last == end || isOvertaken, rule, "ends at \(last) and not at \(end), of \(history.name)")
    if history.isHeld { checkHeld(history) }
  }

  /// Counts what a subscription gets: a sequence of values only loaded states.
  func rank(_ version: UInt32, _ history: History) -> Int {
    history.face == .values ? Int(states.loaded[Int(version)]) : Int(version)
  }
}
