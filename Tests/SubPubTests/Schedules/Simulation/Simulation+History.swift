import SubPub
import Support

/// The recorded history of a simulation, with steps for nanoseconds.
extension Simulation {
  /// A step as the checker's moment, of which 0 is the beginning of time.
  func stamp(_ step: Int) -> UInt64 { UInt64(step + 1) }

  /// Everything so far: at rest or, if it is over, after the release of the publisher.
  func history(isOver: Bool) -> History {
    var history = History()
    history.calls = operations.filter { $0.effect?.isWrite == true }.map { operation in
      // Without its number, because another call may publish the same one.
      Call(span: Span(begin: stamp(operation.invocation), end: stamp(operation.response)), number: 0)
    }
    history.finalVersion = publisher.map { UInt32($0.current.version) } ?? UInt32(history.calls.count)
    (history.hasUniqueValues, history.isPublishedByTestThreads, history.isEnded) = (false, false, isOver)
    history.drains = drains
    for inbox in inboxes { history.subscriptions += histories(of: inbox, history.calls, isOver: isOver) }
    return history
  }

  private func histories(of inbox: Inbox, _ calls: [Call], isOver: Bool) -> [SubscriptionHistory] {
    let isAlone = inbox.members.count == 1
    var histories = inbox.members.map { member in
      var history = history(of: member, calls)
      let isActive = member.subscription?.isActive == true
      let counts = (member.subscription?.statistics ?? member.counts).map { Counts($0) }
      if isActive { history.settled = counts } else { history.closing = counts }
      history.sharesDeliveries = !isAlone
      guard isAlone else { return history }
      history.deliveries = inbox.deliveries
      history.lane = member.isSequence ? nil : member.context.lane
      history.isLasting = isOver ? member.hasStayed && !member.fellBehind : isActive
      return history
    }
    // Nothing tells which of several subscriptions made a delivery.
    if !isAlone, var history = histories.first, let last = histories.last?.replay?.upperBound {
      (history.deliveries, history.cancels, history.settled, history.closing) = (inbox.deliveries, [], nil, nil)
      history.sharesDeliveries = false
      // The first replacement may come before the first delivery.
      history.replay = history.replay.map { $0.lowerBound...last }
      history.replacements = inbox.members.count - 1
      histories.append(history)
    }
    return histories
  }

  private func history(of member: SimulatedSubscription, _ calls: [Call]) -> SubscriptionHistory {
    var history = SubscriptionHistory()
    history.context = member.isSequence ? nil : member.context.kind
    history.interface = member.isSequence ? .publications : .typed
    (history.policy, history.joiner, history.joining) = (member.buffering, member.number, member.joining)
    let before = calls.count { $0.span.end < member.joining.begin }
    history.replay = UInt32(before)...UInt32(max(before, calls.count { $0.span.begin < member.joining.end }))
    history.cancels = member.cancels
    history.mayHaveEndedSince = [member.mayHaveEndedSince, releasedAt, finishedAt].compactMap { $0 }.min().map(stamp)
    if member.fellBehind { history.mayHaveEndedSince = member.joining.begin }
    (history.isReleased, history.death) = (member.inbox.isReleased, member.inbox.diedAt.map(stamp))
    // Nobody knows when an actor dies that was released.
    if member.context.isGone { history.contextDeath = .max }
    return history
  }
}
