/// Subscriptions that end when they fall behind (2.11).
extension RegistryState {
  /// Ends the subscriptions for which too many states would be pending with the new one (2.11).
  @inline(never)
  mutating func endLaggards(before state: any BoxedPublication, _ effects: inout Effects) {
    let new = QueuedState(state, version: newest)
    var (laggards, next): ([Subscription], UInt64) = ([], .max)
    lanes.forEach { next = min(next, $0.findLaggards(before: new, &laggards)) }
    laggardsAt = next
    for subscription in laggards { end(subscription, ifBehind: new, &effects) }
  }

  /// Ends a subscription that was behind a moment ago, unless it has caught up.
  private mutating func end(_ subscription: Subscription, ifBehind new: QueuedState, _ effects: inout Effects) {
    let lane = subscription.lane
    // Again, if a delivery has begun or ended in the meantime.
    while subscription.gate.isOpen {
      let reading = subscription.gate.reading
      if let next = lane.versionOfEnd(of: subscription, at: reading, new) {
        laggardsAt = min(laggardsAt, next)
        return
      }
      if let found = subscription.gate.close(at: newest, as: .fellBehind, ifStill: reading) {
        // Unlike a lane that is served, an iterator counts what it gets.
        lane.iteration?.accept(skipping: 1)
        remove(subscription, found: found, &effects)
      }
    }
  }
}

extension Lane {
  /// Finds the subscriptions that fall behind with the new state; returns the first version at which another one can.
  func findLaggards(before new: QueuedState, _ found: inout [Subscription]) -> UInt64 {
    guard policy.endsBeyondCapacity, inTurn.openCount > 0 else { return .max }
    // Nothing is pending here: no need to look at each.
    if phase.isIdle, inTurn.pending.isEmpty { return new.version + UInt64(capacity) }
    var first = UInt64.max
    inTurn.subscriptions.forEachOpen { subscription, reading in
      if let next = versionOfEnd(of: subscription, at: reading, new) {
        first = min(first, next)
      } else {
        found.append(subscription)
      }
    }
    return first
  }

  /// Returns the first version at which the subscription can fall behind; nil if it does so with the new state.
  func versionOfEnd(
    of subscription: Subscription, at reading: DeliveryGate.Reading, _ new: QueuedState
  ) -> UInt64? {
    guard let iteration else {
      let end = reading.next + UInt64(capacity)
      return new.version < end ? end : nil
    }
    let count = inTurn.pending.count + (iteration.selects(new) ? 1 : 0)
    return count > capacity ? nil : new.version + 1 + UInt64(capacity - count)
  }
}
