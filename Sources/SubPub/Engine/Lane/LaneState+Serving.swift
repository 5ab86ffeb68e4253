/// The turns of the thread that serves the lane.
extension LaneState {
  /// Starts serving when the context calls; returns false if there is nothing to do.
  mutating func resume(_ batch: inout Batch, _ effects: inout Effects) -> Bool {
    guard lane.phase.isAwaitingContext else { return false }
    lane.phase.enter(.serving)
    if let paused = paused.take() {
      batch = paused
      handleRequests(&batch, &effects)
      return true
    }
    return takeNext(&batch, &effects)
  }

  /// Takes the next batch after one was served and its snapshot returned.
  ///
  /// Returns false if nothing is left to serve.
  mutating func takeNext(_ batch: inout Batch, _ effects: inout Effects) -> Bool {
    batch.snapshot = nil
    handleRequests(&batch, &effects)
    compact()
    admitSuccessors(&effects)
    guard !pending.isEmpty else {
      pending.recycle(&batch.queue)
      lane.phase.enter(.idle)
      return false
    }
    lane.phase.enter(.serving)
    requestProgress()
    if retention.keepsAll(from: pending.firstVersion) {
      swap(&batch.queue, &pending)
    } else {
      // One at a time, so that a state that is replaced in the meantime, and that no unbounded subscription needs, is
      // released at once.
      let firstSlot = pending.firstSlot
      if let state = pending.popFirst() { batch.queue.append(state) }
      batch.queue.firstSlot = firstSlot
    }
    // Versions that the lane has never seen as the newest one were skipped. There are none if only a subscriber
    // publishes, one state in each delivery.
    batch.waitsForNewer = retention.isNewestOnly && !lane.isImmediate && lane.newest > newestTaken + 1
    newestTaken = lane.newest
    batch.snapshot = subscriptions.snapshot
    return batch.startRound()
  }

  /// Puts the rest of the batch aside, because the time slice is over; the caller hands the lane back to its context.
  mutating func pause(_ batch: inout Batch, _ effects: inout Effects) {
    handleRequests(&batch, &effects)
    paused = batch
    batch = Batch()
    lane.phase.enter(.paused)
  }

  /// Handles requests.
  ///
  /// Removes cancelled and dead subscriptions, drops states that no subscription needs, and completes drains.
  mutating func handleRequests(_ batch: inout Batch, _ effects: inout Effects) {
    lane.phase.clear([.attention, .progress])
    for slot in batch.dead where subscriptions[slot].gate.close(at: lane.newest) != nil {
      discount(subscriptions[slot])
      vacate(slot, &effects)
    }
    batch.dead.removeAll()
    for slot in retiring where !subscriptions[slot].gate.reading.isUnderWay { vacate(slot, &effects) }
    retiring.removeAll { !subscriptions[$0].gate.reading.isUnderWay }
    if !retiring.isEmpty { _ = lane.phase.request(.attention) }
    // So that the round ends with a turn, which compacts.
    if subscriptions.isSparse { _ = lane.phase.request(.more) }
    trim(&batch, &effects)
    completeDrains()
    requestProgress()
  }
}
