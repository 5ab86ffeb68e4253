extension PublisherRegistry {
  /// Subscribes, or finds the standing subscription.
  @usableFromInline
  nonisolated func subscribe(_ enrolment: Enrolment) -> Subscription {
    // The turn compares actors, and must not be the last to let go of one.
    let context = enrolment.delivery.context.actor
    defer { withExtendedLifetime(context) {} }
    while true {
      let joined = joinAndAct(enrolment)
      let subscription = joined.subscription
      if joined.isStanding {
        guard subscription.isAlive else {
          // Its actor has died, and nobody has noticed: it is no duplicate.
          retire([subscription])
          continue
        }
        return subscription
      }
      follow(joined, contextIsGone: enrolment.delivery.context.isGone(context))
      return subscription
    }
  }

  /// What follows from a newcomer's turn, outside of it: foreign code.
  @inline(__always)
  nonisolated func follow(_ joined: borrowing RegistryState.Joined, contextIsGone: @autoclosure () -> Bool) {
    if let lane = joined.subscription.host as? LaneRunner {
      if let item = joined.replay, let window = joined.window {
        // The last of the window. Its slot is no place to ask: it may have been cancelled since.
        lane.deliverNow(item, window: window, from: window.count - 1)
      }
      if contextIsGone() { end(lane) }
    }
    if joined.isSweepDue { sweep() }
  }

  /// What the turn left to release is gone when this returns, and with it what a `deinit` does.
  private nonisolated func joinAndAct(_ enrolment: Enrolment) -> RegistryState.Joined {
    var after = AfterTurn()
    let joined = join(enrolment, &after)
    after.act()
    return joined
  }

  /// The turn of `subscribe`.
  package nonisolated func join(_ enrolment: Enrolment, _ after: inout AfterTurn) -> RegistryState.Joined {
    turn { [replays] in $0.join(enrolment, turns: self, replays: replays, &after) }
  }

  /// The same for one who doesn't hold the publisher. Nil after the publisher's end.
  nonisolated func joinUnlessEnded(_ enrolment: Enrolment, _ after: inout AfterTurn) -> RegistryState.Joined? {
    turn { [replays] state in
      state.isEnded ? nil : state.join(enrolment, turns: self, replays: replays, &after)
    }
  }

  nonisolated var hasEnded: Bool { turn { $0.isEnded } }

  /// A number for a face that nobody else has at this publisher.
  nonisolated func newFaceNumber() -> UInt32 {
    turn { state in
      state.faces += 1
      return state.faces
    }
  }

  /// Every living subscription, in no order. Lets go of the dead ones on the way.
  @usableFromInline
  nonisolated var subscriptions: [Subscription] { sweep() }

  /// Cancels every subscription of the object that `face` lets through.
  @usableFromInline
  nonisolated func unsubscribe(_ object: AnyObject, through face: SubscriberFace? = nil) -> CancelOutcome {
    let id = ObjectIdentifier(object)
    let found = turnAndAct { state, after in
      state.index.find(id, among: state.lanes, active: state.active, &after).filter { face == nil || $0.face == face }
    }
    return found.map { $0.cancel() }.reduce(.alreadyCancelled) { $0.combined(with: $1) }
  }

  /// Looks for the dead outside the turn: to look at a weak reference is to hold its object for a moment, and
  /// perhaps to be the last.
  @discardableResult
  private nonisolated func sweep() -> [Subscription] {
    let all = turn { state in state.lanes.flatMap(\.subscriptions) }
    let living = all.filter(\.isAlive)
    if living.count < all.count { retire(all.filter { !$0.isAlive }) }
    turn { $0.sweepAt = 2 * living.count + 32 }
    return living
  }

  /// Ends subscriptions whose subscriber or context has died.
  nonisolated func retire(_ dead: [Subscription]) {
    turnAndAct { state, after in
      for subscription in dead { state.cancel(subscription, &after) }
    }
  }
}
