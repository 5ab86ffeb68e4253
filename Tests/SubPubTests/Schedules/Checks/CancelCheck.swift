import SubPub

/// Every outcome of a cancel was true (rules 3.02, 3.03), and nothing was pending after it (2.04).
struct CancelCheck {
  private(set) var problems: [String] = []

  init(_ member: SimulatedSubscription, releasedAt: Int?) {
    let alone = member.inbox.members.count == 1
    for (index, cancel) in member.cancels.enumerated() {
      if cancel.pending > 0 { problems.append("2.04: something is pending after \(Self.name(member, cancel))") }
      if cancel.isOnContext, cancel.outcome == .inFlight { problems.append("3.03: \(Self.name(member, cancel))") }
      let ended =
        index > 0 || member.mayHaveEnded || member.inbox.letGoAt.map { $0 < cancel.response } == true
        || releasedAt.map { $0 < cancel.response } == true
      let other = member.cancels[(index + 1)...].contains { $0.invocation < cancel.response }
      if cancel.outcome == .alreadyCancelled, !ended, !other {
        problems.append("3.02: the first is \(Self.name(member, cancel))")
      }
      // Of replaced subscriptions of one object nobody knows which delivery is whose.
      if alone { check(cancel, of: member) }
    }
  }

  private mutating func check(_ cancel: SimulatedSubscription.Cancel, of member: SimulatedSubscription) {
    let all = member.inbox.deliveries
    let later = all.filter { $0.begin > cancel.response }
    let underWay = all.filter { $0.begin < cancel.response && $0.end.map { $0 > cancel.response } ?? true }
    let isHere = underWay.contains { $0.strand == cancel.strand }
    // One more than had ended before. But a subscriber that is gone isn't called any more, and a bounded subscription counts a
    // delivery just before it ends.
    let isUnknown = member.inbox.letGoAt != nil || member.context.isGone || member.buffering != .unbounded
    let wasUnderWay = isUnknown || all.count > cancel.deliveredBefore
    let isTrue =
      switch cancel.outcome {
      case .quiescent: later.isEmpty && underWay.isEmpty
      // The one that is under way may not have come to its first line.
      case .inFlight: later.count + underWay.count <= 1 && !isHere && wasUnderWay
      case .reentrant: later.isEmpty && isHere
      case .alreadyCancelled: later.count + underWay.count <= 1
      }
    if !isTrue { problems.append("3.02: not true: \(Self.name(member, cancel))") }
  }

  private static func name(_ member: SimulatedSubscription, _ cancel: SimulatedSubscription.Cancel) -> String {
    "\(cancel.outcome) cancel of \(member.number) at \(cancel.invocation)…\(cancel.response)"
  }
}
