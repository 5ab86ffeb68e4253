extension PublisherRegistry {
  /// Subscribes, or finds the existing subscription.
  @usableFromInline
  package nonisolated func subscribe(_ request: SubscriptionRequest) -> Subscription {
    retireDeadListeners()
    // The turn compares actors, and must not be the last to release one.
    let actor = request.context.actor
    defer { withExtendedLifetime(actor) {} }
    while true {
      var effects = Effects()
      let action = turn { state in state.subscribe(request, at: self, replays: replays, &effects) }
      effects.perform()
      let subscription = action.subscription
      guard action.isExisting else {
        finishSubscribing(action, contextIsGone: request.context.isGone(actor))
        _ = consume effects
        return subscription
      }
      if subscription.isAlive { return subscription }
      // Its actor has died unnoticed, so it is no duplicate.
      retire([subscription])
    }
  }

  /// Takes the turn of `subscribe` for a caller that doesn't hold the publisher.
  ///
  /// Returns nil after the publisher's end.
  nonisolated func subscribeUnlessEnded(
    _ request: SubscriptionRequest, _ effects: inout Effects
  ) -> SubscribeAction? {
    turn { state in state.isEnded ? nil : state.subscribe(request, at: self, replays: replays, &effects) }
  }

  /// Runs the foreign code that follows from subscribing; outside the turn.
  @inline(__always)
  nonisolated func finishSubscribing(
    _ action: borrowing SubscribeAction, contextIsGone: @autoclosure () -> Bool
  ) {
    let lane = action.subscription.lane
    if let replay = action.replay, let snapshot = action.snapshot {
      // The subscription's own slot can't be used: it may have been cancelled by now.
      lane.deliverNow(replay, to: snapshot, from: snapshot.count - 1)
    }
    if contextIsGone() { lane.end() }
    if action.isSweepDue { sweep() }
  }

}

/// Cancelling.
extension PublisherRegistry {
  nonisolated func cancel(_ subscription: Subscription) -> CancelOutcome {
    // Checked before the turn, because the closure that is released with it may be the last to hold the subscriber.
    // Once the subscriber is dead, no delivery is under way, as a delivery would hold it.
    let isAlive = subscription.isOutOfSight || subscription.isAlive
    let found = perform { state, effects in state.cancel(subscription, &effects) }
    guard let found, isAlive else { return .alreadyCancelled }
    guard found.isUnderWay else { return .quiescent }
    return subscription.lane.isServedHere ? .reentrant : .inFlight
  }

  /// Waits until no delivery of the cancelled subscription is under way; returns at once if called inside it.
  nonisolated func waitForDelivery(of subscription: Subscription) async {
    guard subscription.gate.reading.isUnderWay, !subscription.lane.isServedHere else { return }
    let waiter = turn { state -> WaiterID? in
      guard let index = state.leaving.firstIndex(where: { $0.subscription === subscription }) else { return nil }
      let waiter = state.waiters.add(missing: 1)
      state.leaving[index].waiters.append(waiter)
      return waiter
    }
    if let waiter { await wait(for: waiter) }
  }

  /// Cancels the subscriptions of the object, either all of them or those through one interface.
  @usableFromInline
  nonisolated func unsubscribe(_ object: AnyObject, through interface: SubscriberInterface? = nil) -> CancelOutcome {
    let id = ObjectIdentifier(object)
    let found = perform { state, effects in
      state.subscribers.find(id, among: state.lanes, &effects)
    }
    return found.filter { interface == nil || $0.interface.kind == interface?.kind }.map { $0.cancel() }
      .reduce(.alreadyCancelled) { $0.combined(with: $1) }
  }
}

/// Dead subscribers.
extension PublisherRegistry {
  /// The living subscriptions, in no particular order; releases everything that belongs to dead ones.
  @usableFromInline
  nonisolated var subscriptions: [Subscription] { sweep() }

  /// Looks for dead subscribers, and returns the living subscriptions.
  ///
  /// Outside the turn, because reading a weak reference retains the object briefly, and that can become the last
  /// reference to it.
  @discardableResult
  nonisolated func sweep() -> [Subscription] {
    let all = turn { state in state.lanes.all.flatMap(\.inTurn.subscriptions.open) }
    let living = all.filter(\.isAlive)
    if living.count < all.count { retire(all.filter { !$0.isAlive }) }
    turn { $0.subscribers.noteSweep(living: living.count) }
    return living
  }

  /// Ends subscriptions whose subscriber or context has died.
  nonisolated func retire(_ dead: [Subscription]) {
    perform { state, effects in
      for subscription in dead { state.cancel(subscription, &effects) }
    }
  }
}
