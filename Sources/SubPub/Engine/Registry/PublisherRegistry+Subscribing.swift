import Dispatch
import Synchronization

extension PublisherRegistry {
  /// Subscribes, or finds the existing subscription.
  @usableFromInline
  package nonisolated func subscribe(_ request: SubscriptionRequest) -> Subscription {
    retireDeadListeners()
    while true {
      var effects = Effects()
      let action = turn { state in state.subscribe(request, at: self, replays: state.replays, &effects) }
      effects.perform()
      let subscription = action.subscription
      guard action.isExisting else {
        finishSubscribing(action)
        // Not earlier: what they release is foreign code, and comes after the delivery.
        _ = consume effects
        return subscription
      }
      if subscription.isAlive { return subscription }
      // Its actor has died unnoticed, so it is no duplicate.
      retire([subscription])
    }
  }

  /// Subscribes for a caller that doesn't hold the publisher, and that takes the turn inside a lock of its own.
  ///
  /// `lock` calls its argument at most once, and gets nil after the publisher's release.
  nonisolated func subscribe(
    _ request: SubscriptionRequest, inside lock: (_ takeTurn: () -> Subscription?) -> Void
  ) {
    retireDeadListeners()
    var effects = Effects()
    var action: SubscribeAction?
    lock {
      action = turn { $0.isReleased ? nil : $0.subscribe(request, at: self, replays: $0.replays, &effects) }
      return action?.subscription
    }
    effects.perform()
    if let action { finishSubscribing(action) }
    _ = consume effects
  }

  /// Runs the foreign code that follows from subscribing; outside the turn.
  @inline(__always)
  nonisolated func finishSubscribing(_ action: borrowing SubscribeAction) {
    let lane = action.subscription.lane
    if let (replay, snapshot) = action.delivery {
      // The subscription's own slot can't be used: it may have been cancelled by now.
      lane.deliverNow(replay, to: snapshot, from: snapshot.count - 1)
    }
    if lane.isContextGone { lane.end() }
    if action.isSweepDue { sweep() }
  }
}

/// Cancelling.
extension PublisherRegistry {
  nonisolated func cancel(_ subscription: Subscription) -> CancelOutcome {
    // Read before the turn: the closure that the cancel releases may be the last to hold the subscriber.
    // Once the subscriber is dead, no delivery is under way, as a delivery would hold it.
    let loss = subscription.isOutOfSight ? nil : subscription.loss
    let found = perform { state, effects in state.cancel(subscription, as: loss ?? .cancelled, &effects) }
    guard let found, loss == nil else { return .alreadyCancelled }
    return found.isUnderWay ? subscription.lane.outcomeUnderWay : .quiescent
  }

  /// Waits until no delivery of the cancelled subscription is under way; returns at once if called inside it.
  nonisolated func waitForDelivery(of subscription: Subscription) async {
    guard subscription.gate.reading.isUnderWay, !subscription.lane.isServedHere else { return }
    let waiter = turn { state in state.isLeaving(subscription) ? state.addEndWaiter(for: subscription) : nil }
    if let waiter { await wait(for: waiter) }
  }

  /// Waits until the subscription has ended and no delivery of it is under way, or the task is cancelled.
  ///
  /// Returns nil in the latter case.
  nonisolated func waitForEnd(of subscription: Subscription) async -> SubscriptionEnd? {
    retire([subscription])
    var looksForDead = false
    let waiter = turn { state -> WaiterID? in
      guard subscription.gate.isOpen || state.isLeaving(subscription) else { return nil }
      let waiter = state.addEndWaiter(for: subscription)
      looksForDead = state.startsLookingForDead(if: subscription.lane.mayWaitForDead)
      return waiter
    }
    guard let waiter else { return subscription.gate.reason }
    if looksForDead { lookForDead() }
    await wait(for: waiter) {
      perform { state, effects in
        subscription.lane.removeEndWaiter(waiter, of: subscription)
        effects.resume(state.waiters.remove(waiter))
      }
    }
    return turn { $0.isLeaving(subscription) ? nil : subscription.gate.reason }
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
  nonisolated var subscriptions: [Subscription] { sweep() }

  /// Looks for dead subscribers, and returns the living subscriptions.
  ///
  /// Outside the turn, because reading a weak reference retains the object briefly, and that can become the last
  /// reference to it.
  @discardableResult
  nonisolated func sweep() -> [Subscription] {
    let all = turn { state in state.lanes.all.flatMap(\.inTurn.subscriptions.open) }
    let living = all.filter(\.isAlive)
    if living.count < all.count { retire(all) }
    turn { $0.subscribers.noteSweep(living: living.count) }
    return living
  }

  /// Ends those subscriptions whose subscriber or context has died.
  nonisolated func retire(_ subscriptions: [Subscription]) {
    let dead = subscriptions.compactMap { subscription in subscription.loss.map { (subscription, $0) } }
    guard !dead.isEmpty else { return }
    perform { state, effects in for (subscription, loss) in dead { state.cancel(subscription, as: loss, &effects) } }
  }

  /// Has the main actor look for dead subscribers, once, however often other threads ask.
  @inline(never)
  nonisolated func sweepOnMainActor() {
    guard !isMainActorSweepDue.exchange(true, ordering: .relaxed) else { return }
    // Weakly, because the main actor of a server may never run.
    DispatchQueue.main.submit { [weak self] in
      self?.isMainActorSweepDue.store(false, ordering: .relaxed)
      self?.sweep()
    }
  }
}
