extension Lane {
  /// Serves what is pending, in batches, until nothing is left or the time slice is over. Called by the lane's context.
  func serve() {
    let actor = context.actor
    defer { withExtendedLifetime(actor) {} }
    if context.isGone(actor) { return end() }
    // An executor may run the job inside `enqueue`, on top of the thread that hands the lane back. That thread goes on
    // below, otherwise the stack would grow with every time slice (4.04).
    if isBeingHandedBackHere { return setNestedJob() }
    repeat {
      var batch = Batch()
      guard resume(&batch) else { return }
      setServingThread()
      serve(&batch, TimeSlice(for: context))
    } while takeNestedJob()
  }

  /// Delivers one state on the publishing thread, without a queue, and without another turn unless something came in
  /// between. The phase is "serving".
  @inline(__always)
  func deliverNow(_ state: QueuedState, to snapshot: SubscriptionList.Snapshot, from firstSlot: Int) {
    setServingThread()
    var dead: [Int] = []
    for slot in firstSlot..<snapshot.count {
      visit(slot, in: snapshot, state, attend: { attend(to: state) }, foundDead: { dead.append(slot) })
    }
    if dead.isEmpty, phase.finishWithoutTurn() { return }
    carryOn(dead)
  }

  /// Serves what has come during `deliverNow`.
  @inline(never)
  private func carryOn(_ dead: [Int]) {
    // The caller doesn't retain the lane (see `AcceptAction`), and the publisher's end may remove it in its last turn.
    let lane = unsafe Unmanaged.passRetained(self)
    defer { unsafe lane.release() }
    var batch = Batch()
    batch.dead = dead
    if takeNext(&batch) { serve(&batch, TimeSlice(for: context)) }
  }

  /// Meets a request in the middle of a round that has no batch.
  @inline(never)
  private func attend(to state: QueuedState) {
    var batch = Batch()
    batch.current = state
    settle(&batch)
  }

  private func serve(_ batch: inout Batch, _ timeSlice: consuming TimeSlice) {
    repeat {
      repeat {
        guard serveRound(&batch, &timeSlice) else { return handBack(&batch) }
        if needsTurn(before: batch) { settle(&batch) }
      } while batch.startRound()
    } while takeNext(&batch)
  }

  /// Delivers the current state to everyone that it is for. False if the time slice ends before.
  private func serveRound(_ batch: inout Batch, _ timeSlice: inout TimeSlice) -> Bool {
    guard let state = batch.current, let snapshot = batch.snapshot else { return true }
    while batch.slot < snapshot.count {
      guard timeSlice.allowsDelivery() else { return false }
      let slot = batch.slot
      visit(slot, in: snapshot, state, attend: { settle(&batch) }, foundDead: { batch.dead.append(slot) })
      batch.slot = slot + 1
    }
    batch.current = nil
    return true
  }

  /// One delivery, if the subscription is to get the state: gate, weak load, call, end.
  @inline(__always)
  private func visit(
    _ slot: Int, in snapshot: SubscriptionList.Snapshot, _ state: QueuedState, attend: () -> Void,
    foundDead: () -> Void
  ) {
    snapshot.visit(slot) { subscription in
      let reading = subscription.gate.reading
      // It has joined later, or has received this state as its replay.
      guard reading.next <= state.version else { return }
      let newest = newest
      if newest != state.version || subscription.bounds != nil {
        subscription.noteBacklog(from: reading.next, newest: newest)
        if let bounds = subscription.bounds, !bounds.admits(state.version, newest: newest) { return }
      }
      guard subscription.gate.begin(state.version, from: reading) else { return }
      // Checked after the gate, which orders it behind the end of the delivery before. Whoever waits for that end is told
      // now, and not after this delivery, which may take long.
      if phase.hasRequest(.attention) {
        // Meanwhile this delivery isn't under way, so a waiter that is told may cancel the subscription.
        let hasLeft = subscription.gate.stepBack(state.version, to: reading)
        attend()
        guard !hasLeft || subscription.gate.begin(state.version, from: reading) else { return }
      }
      guard call(slot, in: snapshot, subscription, state.state) else {
        subscription.gate.retract(state.version, to: reading)
        return foundDead()
      }
      subscription.bounds?.countDelivery(of: state.version)
      subscription.gate.end(state.version)
    }
  }

  /// Retains the subscriber while its code runs, and releases it before the delivery ends.
  @inline(__always)
  private func call(
    _ slot: Int, in snapshot: SubscriptionList.Snapshot, _ subscription: Subscription, _ state: any BoxedPublication
  ) -> Bool {
    subscription.gate.point.reach(.weakLoad)
    guard let subscriber = subscription.subscriber else { return false }
    snapshot.deliver(slot, to: subscriber, state)
    return true
  }
}

/// The turns of the serving thread. See `LaneState+Serving.swift`.
extension Lane {
  /// The context has called. False if there is nothing to do.
  private func resume(_ batch: inout Batch) -> Bool {
    registry.perform { state, effects in
      guard index >= 0 else { return false }
      return state.withServedLane(self, &effects) { $0.resume(&batch, &$1) }
    }
  }

  /// The batch is served. False if nothing is left to serve.
  private func takeNext(_ batch: inout Batch) -> Bool { perform { $0.takeNext(&batch, &$1) } }

  /// Meets requests between two deliveries.
  private func settle(_ batch: inout Batch) { perform { $0.settle(&batch, &$1) } }
}
