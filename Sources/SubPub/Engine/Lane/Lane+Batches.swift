/// The turns of the thread that serves the lane.
extension Lane {
  /// Starts serving when the context calls; returns false if there is nothing to do.
  func resume(_ batch: inout Batch, _ effects: inout Effects) -> Bool {
    phase.current == .scheduled && takeNext(&batch, &effects)
  }

  /// Takes the next batch after one was served and its snapshot returned.
  ///
  /// Returns false if nothing is left to serve.
  func takeNext(_ batch: inout Batch, _ effects: inout Effects) -> Bool {
    batch.snapshot = nil
    handleRequests(&batch, &effects)
    compact()
    if batch.rest != nil { inTurn.obstacleCount += 1 }
    guard !inTurn.pending.isEmpty, batch.rest == nil else {
      inTurn.pending.recycle(&batch.queue)
      phase.enter(.idle)
      return false
    }
    phase.enter(.serving)
    requestAttention()
    if inTurn.retention.keepsAll(from: inTurn.pending.firstVersion) {
      swap(&batch.queue, &inTurn.pending)
    } else {
      // One at a time, so that a state that is replaced in the meantime, and that no unbounded subscription needs, is
      // released at once.
      let firstSlot = inTurn.pending.firstSlot
      if let state = inTurn.pending.popFirst() { batch.queue.append(state) }
      batch.queue.firstSlot = firstSlot
    }
    // Versions that the lane has never seen as the newest one were skipped. There are none if only a subscriber
    // publishes, one state in each delivery.
    batch.waitsForNewer = inTurn.retention.isNewestOnly && !isImmediate && newest > inTurn.newestTaken + 1
    inTurn.newestTaken = newest
    batch.snapshot = inTurn.subscriptions.snapshot
    return batch.startRound()
  }

  /// Makes the rest of the batch pending again, because the time slice is over; returns false if nothing is left.
  func handBack(_ batch: inout Batch, _ effects: inout Effects) -> Bool {
    if let current = batch.current.take() { batch.queue.prepend(current, from: batch.slot) }
    handleRequests(&batch, &effects)
    requeue(&batch)
    compact()
    phase.enter(inTurn.pending.isEmpty ? .idle : .scheduled)
    return !inTurn.pending.isEmpty
  }

  /// Handles requests between two rounds.
  ///
  /// Removes dead subscriptions, drops states that no subscription needs, and completes drains.
  func handleRequests(_ batch: inout Batch, _ effects: inout Effects) {
    phase.clear(.attention)
    for slot in batch.dead where inTurn.subscriptions[slot].gate.close(at: newest, as: .subscriberReleased) != nil {
      let dead = inTurn.subscriptions[slot]
      discount(dead)
      vacate(dead, &effects)
    }
    batch.dead.removeAll()
    trim(&batch, &effects)
    completeDrains()
    requestAttention()
  }

  /// Has the serving thread take a turn after each round while a drain waits.
  private func requestAttention() {
    if !inTurn.drains.isEmpty { _ = phase.request(.attention) }
  }
}
