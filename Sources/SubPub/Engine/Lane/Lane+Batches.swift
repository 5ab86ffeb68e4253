/// The states that the serving thread has taken to serve between two turns.
struct Batch {
  /// States that still have to be served, but for the one whose round is under way; they count as pending (2.04).
  var queue = StateQueue()
  var snapshot: SubscriptionList.Snapshot?
  /// The slots of subscriptions whose subscribers were found dead.
  var dead: [Int] = []
  /// Lanes of the publishing thread that have waited for deliveries that have ended in the meantime.
  var successors: [Lane] = []
  /// How long the lane has to rest now (2.12); nil if it needn't.
  var rest: Duration?
  /// How many states a thread that delivers immediately has taken for others.
  var countForOthers = 0
  /// After how many of these it leaves the rest (2.03).
  static let mostForOthers = 256
  /// The newest version when the last batch was taken; nil before the first.
  var newestTaken: UInt64?
  /// Whether to wait a little before the next turn, because states arrive faster than the lane can take them.
  var waitsForNewer = false

  /// Whether the thread has seen some versions before this one never as the newest.
  func hasGap(before newest: UInt64) -> Bool { newestTaken.map { newest > $0 + 1 } ?? false }
}

/// The turns of the thread that serves the lane.
extension Lane {
  /// What the serving thread does next.
  enum Next {
    /// Serve the batch that was taken.
    case serve
    /// Nothing: nothing is left, or the lane has to rest.
    case stop
    /// Leave what is left to another thread, because this one has delivered enough for others (2.03).
    case leaveToOthers
  }

  /// Starts serving when the context calls; returns false if there is nothing to do.
  func begin(_ batch: inout Batch, _ current: QueuedState?, _ effects: inout Effects) -> Bool {
    guard phase.current == .scheduled, takeNext(&batch, current, &effects) == .serve else { return false }
    servingThread = registry.executor.holder
    return true
  }

  /// Takes the next batch after one was served and its snapshot returned.
  ///
  /// `current` is the publisher's current state, if the lane serves that.
  func takeNext(_ batch: inout Batch, _ current: QueuedState?, _ effects: inout Effects) -> Next {
    batch.snapshot = nil
    if hasRequests(batch) { handleRequests(&batch, &effects) }
    compact()
    if batch.rest != nil { inTurn.obstacleCount += 1 }
    guard inTurn.isPending, batch.rest == nil else {
      inTurn.pending.recycle(&batch.queue)
      inTurn.isPendingFromOthers = false
      phase.enter(.idle)
      return .stop
    }
    if inTurn.isPendingFromOthers, batch.countForOthers >= Batch.mostForOthers {
      phase.enter(.scheduled)
      return .leaveToOthers
    }
    phase.enter(.serving)
    requestAttention()
    takePending(into: &batch, current)
    if inTurn.isPendingFromOthers { batch.countForOthers += batch.queue.count }
    if !inTurn.isPending { inTurn.isPendingFromOthers = false }
    // There is no gap if only a subscriber publishes, one state in each delivery.
    batch.waitsForNewer = servesCurrent && !isImmediate && batch.hasGap(before: newest)
    batch.newestTaken = newest
    batch.snapshot = inTurn.subscriptions.snapshot
    return batch.queue.isEmpty ? .stop : .serve
  }

  /// Takes what is pending: all, or, if others have published some of it, no more than is left for them.
  private func takePending(into batch: inout Batch, _ current: QueuedState?) {
    if keptCount == .max, !inTurn.isPendingFromOthers { return swap(&batch.queue, &inTurn.pending) }
    if servesCurrent {
      if let current { batch.queue.append(current) }
      batch.queue.firstSlot = inTurn.currentFrom.take() ?? 0
      return
    }
    let firstSlot = inTurn.pending.firstSlot
    // One at a time, so that a state that is replaced in the meantime is released at once.
    let most = keptCount == .max ? Batch.mostForOthers - batch.countForOthers : 1
    while batch.queue.count < most, let state = inTurn.pending.popFirst() { batch.queue.append(state) }
    batch.queue.firstSlot = firstSlot
  }

  /// Makes the rest of the batch pending again, because the time slice is over; returns false if nothing is left.
  func handBack(_ batch: inout Batch, _ effects: inout Effects) -> Bool {
    if hasRequests(batch) { handleRequests(&batch, &effects) }
    requeue(&batch, &effects)
    compact()
    phase.enter(inTurn.isPending ? .scheduled : .idle)
    return inTurn.isPending
  }

  /// Makes the states of a batch pending again.
  private func requeue(_ batch: inout Batch, _ effects: inout Effects) {
    guard servesCurrent else {
      // A later replay is only for new subscriptions, and they receive the same state from the batch.
      if let last = batch.queue.last?.version, inTurn.pending.firstVersion == last { _ = inTurn.pending.popFirst() }
      inTurn.pending.prepend(&batch.queue)
      return dropSurplus(&effects)
    }
    let slot = batch.queue.firstSlot
    guard let state = batch.queue.popFirst() else { return }
    // Instead, those that haven't received it get the current state, which may be a newer one.
    inTurn.currentFrom = min(slot, inTurn.currentFrom ?? slot)
    effects.release(state.state)
  }

  /// Whether the serving thread has to take a turn between two rounds.
  func hasRequests(_ batch: borrowing Batch) -> Bool { !batch.dead.isEmpty || phase.hasRequest(.attention) }

  /// Handles requests between two rounds.
  ///
  /// Removes dead subscriptions, drops states that no subscription needs, and completes drains.
  func handleRequests(_ batch: inout Batch, _ effects: inout Effects) {
    phase.clear(.attention)
    for slot in batch.dead {
      let dead = inTurn.subscriptions[slot]
      if let found = dead.gate.close(at: newest, as: .subscriberReleased) { remove(dead, found: found, &effects) }
    }
    batch.dead.removeAll()
    inTurn.trim(&batch.queue, newest: newest, &effects)
    completeDrains(&effects)
    requestAttention()
  }

  /// Has the serving thread take a turn after each round while a drain waits.
  private func requestAttention() {
    if !inTurn.drains.isEmpty { _ = phase.request(.attention) }
  }
}
