extension Lane {
  /// Serves pending states, in batches, until nothing is left or the time slice is over.
  ///
  /// Called by the lane's context.
  func serve() {
    let actor = context.actor
    defer { withExtendedLifetime(actor) {} }
    if context.isGone(actor) { return end() }
    var batch = Batch()
    let isResumed = registry.perform { state, effects in
      // It may have been removed since it was woken.
      inTurn.index >= 0 && state.withLane(self, &effects) { resume(&batch, &$0) }
    }
    guard isResumed else { return }
    setServingThread(.current)
    serve(&batch, TimeSlice(for: context))
  }

  /// Delivers one state on the publishing thread, without a queue.
  ///
  /// Takes no other turn unless something arrives in the meantime, which halves what a publish to one subscriber takes.
  /// The caller's turn has entered `serving`.
  @inline(__always)
  func deliverNow(_ state: QueuedState, to snapshot: SubscriptionList.Snapshot, from firstSlot: Int) {
    var dead: [Int] = []
    for slot in firstSlot..<snapshot.count {
      _ = visit(
        slot, in: snapshot, state, mayBegin: { true }, foundNew: {}, foundDead: { dead.append(slot) },
        successor: { $0.wake() })
    }
    if dead.isEmpty, phase.finishWithoutTurn() { return }
    continueServing(dead)
  }

  /// Serves the states that have arrived during `deliverNow`.
  @inline(never)
  private func continueServing(_ dead: [Int]) {
    // The caller doesn't retain the lane (see `AcceptAction`), and the publisher's end may remove it in its last turn.
    let lane = unsafe Unmanaged.passRetained(self)
    defer { unsafe lane.release() }
    var batch = Batch()
    batch.dead = dead
    if perform({ takeNext(&batch, &$0) }) { serve(&batch, TimeSlice(for: context)) }
  }

  private func serve(_ batch: inout Batch, _ timeSlice: consuming TimeSlice) {
    serveBatches(&batch, timeSlice)
    // Not earlier: whoever shares the lane doesn't wait for them (2.08).
    for lane in batch.successors { lane.wake() }
  }

  private func serveBatches(_ batch: inout Batch, _ timeSlice: consuming TimeSlice) {
    repeat {
      repeat {
        guard serveRound(&batch, &timeSlice) else { return handBack(&batch) }
        // After the last round, the turn that takes the next batch does.
        if !batch.queue.isEmpty, !batch.dead.isEmpty || phase.hasRequest(.attention) {
          perform { handleRequests(&batch, &$0) }
        }
      } while batch.startRound()
      if batch.waitsForNewer { Spin.forNewerStates.run(at: phase.point) }
    } while perform({ takeNext(&batch, &$0) })
  }

  /// Delivers the current state to its subscriptions; returns false if the time slice ends first.
  @inline(__always)
  private func serveRound(_ batch: inout Batch, _ timeSlice: inout TimeSlice) -> Bool {
    guard let state = batch.current, let snapshot = batch.snapshot else { return true }
    while batch.slot < snapshot.count {
      let slot = batch.slot
      let goesOn = visit(
        slot, in: snapshot, state,
        mayBegin: { timeSlice.allowsDelivery() },
        foundNew: { if phase.hasRequest(.attention) { perform { handleRequests(&batch, &$0) } } },
        foundDead: { batch.dead.append(slot) },
        successor: { batch.successors.append($0) })
      guard goesOn else { return false }
      batch.slot = slot + 1
    }
    batch.current = nil
    return true
  }

  /// Makes one delivery, if the subscription has to receive the state: gate, weak load, call, end.
  ///
  /// Returns false if it has to, and may not yet.
  @inline(__always)
  private func visit(
    _ slot: Int, in snapshot: SubscriptionList.Snapshot, _ state: QueuedState, mayBegin: () -> Bool,
    foundNew: () -> Void, foundDead: () -> Void, successor: (Lane) -> Void
  ) -> Bool {
    snapshot.visit(slot) { subscription in
      let reading = subscription.gate.reading
      // The subscription has joined later, or has received this state as its replay.
      guard reading.next <= state.version else { return true }
      // A drain may be waiting that began before it came, and doesn't wait for it (3.07).
      if reading.next == subscription.firstVersion { foundNew() }
      guard isWanted(state.version, by: subscription, at: reading) else { return true }
      guard mayBegin() else { return false }
      guard subscription.gate.begin(state.version, from: reading) else { return true }
      guard call(slot, in: snapshot, subscription, state.state) else {
        foundDead()
        if !subscription.gate.retract(state.version, to: reading) { finish(subscription, successor) }
        return true
      }
      subscription.bounds?.countDelivery(of: state.version)
      if !subscription.gate.end(state.version) { finish(subscription, successor) }
      return true
    }
  }

  /// Takes leave of a subscription that was cancelled while its delivery was under way, which has ended.
  ///
  /// Passes on immediate lanes that have waited for that.
  @inline(never)
  private func finish(_ subscription: Subscription, _ successor: (Lane) -> Void) {
    var effects = Effects()
    registry.turn { state in state.finish(subscription, &effects) }
    effects.perform(immediately: successor)
  }

  /// Returns whether a state still has to be delivered, and records how many are pending.
  @inline(__always)
  private func isWanted(_ version: UInt64, by subscription: Subscription, at reading: DeliveryGate.Reading) -> Bool {
    let newest = newest
    if newest == version, subscription.bounds == nil { return true }
    subscription.noteBacklog(from: reading.next, newest: newest)
    return subscription.bounds?.admits(version, newest: newest) ?? true
  }

  /// Runs the subscriber's code while retaining the subscriber; returns false if it is dead.
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
