/// A cancelled subscription with a delivery under way.
struct LeavingSubscription {
  let subscription: Subscription
  /// Lanes that wait for it, each for one subscription of the same object (2.06).
  var successors: [Lane] = []
}

/// How subscriptions, lanes, and the publisher end.
extension RegistryState {
  /// Whether the subscription was cancelled and has a delivery under way.
  func isLeaving(_ subscription: Subscription) -> Bool { leaving.contains { $0.subscription === subscription } }

  /// Registers a waiter for the end of a subscription and of its delivery under way.
  mutating func addEndWaiter(for subscription: Subscription) -> WaiterID {
    let waiter = waiters.add(missing: 1)
    subscription.lane.inTurn.endWaiters[ObjectIdentifier(subscription), default: []].insert(waiter)
    return waiter
  }

  /// Closes the subscription's gate and removes it from its lane; returns nil if it has already ended.
  @discardableResult
  mutating func cancel(
    _ subscription: Subscription, as end: SubscriptionEnd, _ effects: inout Effects
  ) -> DeliveryGate.Reading? {
    guard let found = subscription.gate.close(at: newest, as: end) else { return nil }
    remove(subscription, found: found, &effects)
    return found
  }

  /// Removes a subscription whose gate was closed from its lane.
  mutating func remove(
    _ subscription: Subscription, found: DeliveryGate.Reading, _ effects: inout Effects
  ) {
    if found.isUnderWay { leaving.append(LeavingSubscription(subscription: subscription)) }
    withLane(subscription.lane, &effects) { effects in
      subscription.lane.remove(subscription, found: found, &effects)
      subscription.lane.dropUnneeded(&effects)
    }
  }

  /// Removes a cancelled subscription whose last delivery has ended, on the thread that has made that delivery.
  ///
  /// Doesn't remove the lane, even if no subscription is left: this thread serves it, and its next turn does.
  mutating func removeLeaving(_ subscription: Subscription, _ effects: inout Effects) {
    guard let index = leaving.firstIndex(where: { $0.subscription === subscription }) else { return }
    let left = leaving.remove(at: index)
    effects.releaseAll(in: left)
    subscription.lane.vacate(subscription, &effects)
    resumeArrived(&effects)
    for lane in left.successors where lane.inTurn.isInTable { lane.countDown(&effects) }
  }

  /// Releases the publisher: pending states are delivered, and then everything ends (3.06).
  mutating func release(_ effects: inout Effects) {
    let wasOpen = !isFinished
    life = .released
    dropLastState(&effects)
    subscribers.clear(&effects)
    if wasOpen { closeLanes(&effects) }
  }

  /// Takes no further states: pending ones are delivered, and then everything ends (3.09).
  mutating func finish(_ effects: inout Effects) {
    guard !isFinished else { return }
    life = .finished
    closeLanes(&effects)
  }

  private mutating func closeLanes(_ effects: inout Effects) {
    if let owner { for waiter in owner.publisherFinishes(&effects) { effects.resume(waiters.arrive(waiter)) } }
    if !listenerNotices.isEmpty { noteListeners(&effects) }
    for lane in lanes.all { closeWhenServed(lane, &effects) }
  }

  /// Closes a lane of a publisher that takes no further states, now or once everything is delivered.
  mutating func closeWhenServed(_ lane: Lane, _ effects: inout Effects) {
    // A serving thread that could end without a turn has to take one.
    _ = lane.phase.request(.more)
    settle(lane, &effects)
  }

  /// Drops the last state and the history, unless a sequence can still ask for them, or a lane has to deliver it.
  mutating func dropLastState(_ effects: inout Effects) {
    guard isReleased else { return }
    if resumingCount == 0, let kept = record?.history.take() { effects.releaseAll(in: kept) }
    if sequenceCount == 0, lanes.first(where: { $0.inTurn.currentFrom != nil }) == nil, let last = current.take() {
      effects.release(last)
    }
  }

  /// Ends a lane whose context is gone.
  mutating func end(_ lane: Lane, _ effects: inout Effects) {
    _ = withLane(ifPresent: lane, &effects) { effects in
      lane.close(as: .contextReleased, &effects)
      lane.phase.enter(.idle)
    }
  }
}
