/// The turns of the thread that serves the lane.
extension LaneState {
  /// Starts serving when the context calls; returns false if there is nothing to do.
  mutating func resume(_ batch: inout Batch, _ effects: inout Effects) -> Bool {
    lane.phase.current == .scheduled && takeNext(&batch, &effects)
  }

  /// Takes the next batch after one was served and its snapshot returned.
  ///
  /// Returns false if nothing is left to serve.
  mutating func takeNext(_ batch: inout Batch, _ effects: inout Effects) -> Bool {
    batch.snapshot = nil
    handleRequests(&batch, &effects)
    compact()
    guard !pending.isEmpty else {
      pending.recycle(&batch.queue)
      lane.phase.enter(.idle)
      return false
    }
    lane.phase.enter(.serving)
    requestAttention()
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

  /// Makes the rest of the batch pending again, because the time slice is over; returns false if nothing is left.
  mutating func handBack(_ batch: inout Batch, _ effects: inout Effects) -> Bool {
    if let current = batch.current.take() { batch.queue.prepend(current, from: batch.slot) }
    handleRequests(&batch, &effects)
    requeue(&batch)
    trim(&effects)
    compact()
    lane.phase.enter(pending.isEmpty ? .idle : .scheduled)
    return !pending.isEmpty
  }

  /// Handles requests between two rounds.
  ///
  /// Removes dead subscriptions, drops states that no subscription needs, and completes drains.
  mutating func handleRequests(_ batch: inout Batch, _ effects: inout Effects) {
    lane.phase.clear(.attention)
    for slot in batch.dead where subscriptions[slot].gate.close(at: lane.newest) != nil {
      discount(subscriptions[slot])
      vacate(slot, &effects)
    }
    batch.dead.removeAll()
    trim(&batch, &effects)
    completeDrains()
    requestAttention()
  }

  /// Has the serving thread take a turn after each round while a drain waits.
  private func requestAttention() {
    if !drains.isEmpty { _ = lane.phase.request(.attention) }
  }
}
