extension Lane {
  /// The subscription's gate was closed, and this is what it found.
  package mutating func cancel(
    _ subscription: Subscription, found: DeliveryGate.Reading, _ after: inout AfterTurn
  ) {
    remove(subscription, found: found, &after)
    tidy(&after)
  }

  /// Its closure goes now, or when the delivery that is under way has ended.
  private mutating func remove(
    _ subscription: Subscription, found: DeliveryGate.Reading, _ after: inout AfterTurn
  ) {
    forget(subscription)
    if successors != nil { removeSuccessor(subscription, &after) }
    if found.isUnderWay, runner.signal.raise() {
      retiring.append(subscription.slot)
    } else {
      vacate(subscription.slot, &after)
    }
  }

  /// After entries went, outside a drain's own turns: lets go of what they alone kept.
  mutating func tidy(_ after: inout AfterTurn) {
    if var batch = parked.take() {
      trim(&batch, &after)
      if !isAwaited(&batch), let item = batch.current.take() { after.release(item.state) }
      // With nobody left there is no window to come back to.
      if active > 0 { parked = batch }
    } else {
      // A drain has states in hand: it looks itself.
      let drains = runner.signal.raise()
      trim(nobodyDrains: !drains, &after)
    }
    if !waits.isEmpty {
      noteDeparted()
      noteOvertaken()
    }
    if active == 0, let reader = reader.take() { after.resume(reader) }
    if runner.signal.isIdle || (runner.signal.isScheduled && parked == nil) { compact() }
  }

  /// Everyone's end: the publisher's, when nothing is left to deliver, or the context's.
  mutating func close(_ after: inout AfterTurn) {
    for index in 0..<entries.count {
      let subscription = entries[index]
      if let found = subscription.gate.close(at: runner.newest) { remove(subscription, found: found, &after) }
    }
    tidy(&after)
  }

  /// Whether somebody is still to be visited in the round that was put aside. Moves on to the first who is.
  private func isAwaited(_ batch: inout Batch) -> Bool {
    guard let window = batch.window, batch.current != nil else { return false }
    while batch.next < window.count, entries[batch.next].gate.closedAt != nil { batch.next += 1 }
    return batch.next < window.count
  }
}
