import Dispatch

extension Lane {
  /// Serves pending states, in batches, until nothing is left or the time slice is over.
  ///
  /// Called by the lane's context.
  func serve() {
    let actor = context.actor
    defer { withExtendedLifetime(actor) {} }
    if context.isGone(actor) { return end() }
    var batch = Batch()
    let hasBegun = registry.perform { state, effects in
      let current = servesCurrent ? state.queuedCurrent : nil
      // It may have been removed since it was woken.
      return state.withLane(ifPresent: self, &effects) { begin(&batch, current, &$0) } ?? false
    }
    guard hasBegun else { return }
    serve(&batch, TimeSlice(for: context))
  }

  /// Delivers one state on the publishing thread, without a queue.
  ///
  /// Takes no other turn unless something arrives in the meantime: that halves the cost of a publish to one subscriber.
  /// The caller's turn has entered `serving`.
  @inline(__always)
  func deliverNow(_ state: QueuedState, to snapshot: SubscriptionList.Snapshot, from firstSlot: Int) {
    var dead: [Int] = []
    for slot in firstSlot..<snapshot.count {
      snapshot.visit(slot) { subscription in
        let reading = subscription.gate.reading
        guard isDue(state.version, for: subscription, at: reading) else { return }
        switch deliver(state, to: subscription, at: reading, slot, in: snapshot) {
        case .ended: break
        case .foundDead: dead.append(slot)
        case .foundCancel: removeLeaving(subscription) { $0.wake() }
        }
      }
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
    if takeNext(&batch) { serve(&batch, TimeSlice(for: context)) }
  }

  /// Takes the next batch, in a turn; returns false if there is none, or if another thread has to take it.
  private func takeNext(_ batch: inout Batch) -> Bool {
    let next = registry.perform { state, effects in
      let current = servesCurrent ? state.queuedCurrent : nil
      return state.withLane(self, &effects) { takeNext(&batch, current, &$0) }
    }
    // On a thread of Dispatch, unless a publishing thread comes first (2.03).
    if next == .leaveToOthers { DispatchQueue.withOwnThread().submit { [self] in serve() } }
    return next == .serve
  }

  private func serve(_ batch: inout Batch, _ timeSlice: consuming TimeSlice) {
    // Not earlier: whoever shares the lane doesn't wait for them (2.08).
    defer { for lane in batch.successors { lane.wake() } }
    repeat {
      while !batch.queue.isEmpty {
        guard serveRound(&batch, &timeSlice) else { return handBack(&batch) }
        // After the last round, the turn that takes the next batch handles them.
        if !batch.queue.isEmpty, hasRequests(batch) { perform { handleRequests(&batch, &$0) } }
      }
      batch.rest = pace?.takeRest()
      if batch.waitsForNewer { spin() }
    } while takeNext(&batch)
    if let rest = batch.rest { self.rest(for: rest) }
  }

  /// Keeps the thread for two microseconds before the next turn of a lane that can't keep up.
  ///
  /// While states arrive faster than a lane delivers them, each turn of the lane competes with the publishing threads
  /// for the registry. If the lane delivers only the newest state, fewer turns cost it nothing, and leave the registry
  /// to the publishing threads: without the wait, a publish takes 1.6 to 2.5 times as long.
  private func spin() {
    let nanoseconds: UInt64 = 2_000
    phase.point.reach(.spin(nanoseconds: nanoseconds))
    let start = DispatchTime.now().uptimeNanoseconds
    while DispatchTime.now().uptimeNanoseconds - start < nanoseconds {}
  }

  /// Makes the rest of the batch pending again, until the context calls the next time.
  private func handBack(_ batch: inout Batch) {
    var effects = Effects()
    let isPending = registry.turn { state in
      // After the release, nobody else may have needed it.
      if servesCurrent, state.current == nil { state.current = batch.queue.last?.state }
      return state.withLane(self, &effects) { handBack(&batch, &$0) }
    }
    // On a concurrent queue the lane continues at once. Whatever belonged to the round has to be released by then
    // (3.05).
    effects.releaseNow()
    if isPending { context.handBack(self) }
    effects.perform()
  }

  /// Delivers the first state to its subscriptions; puts it back, and returns false, if the time slice ends first.
  @inline(__always)
  private func serveRound(_ batch: inout Batch, _ timeSlice: inout TimeSlice) -> Bool {
    var slot = batch.queue.firstSlot
    guard let state = batch.queue.popFirst(), let snapshot = batch.snapshot else { return true }
    while slot < snapshot.count {
      let isTimeLeft = snapshot.visit(slot) { subscription in
        var reading = subscription.gate.reading
        guard isDue(state.version, for: subscription, at: reading) else { return true }
        guard timeSlice.allowsDelivery() else { return false }
        // A drain may be waiting that began before this newcomer came, and doesn't wait for it (3.07).
        if reading.next == subscription.firstVersion, phase.hasRequest(.attention) {
          perform { handleRequests(&batch, &$0) }
          // The turn has released foreign objects, and may have had to wait: the state may have been overtaken (2.04).
          reading = subscription.gate.reading
          if !isDue(state.version, for: subscription, at: reading) { return true }
        }
        switch deliver(state, to: subscription, at: reading, slot, in: snapshot) {
        case .ended: break
        case .foundDead: batch.dead.append(slot)
        case .foundCancel: removeLeaving(subscription) { batch.successors.append($0) }
        }
        return true
      }
      guard isTimeLeft else {
        batch.queue.prepend(state, from: slot)
        return false
      }
      slot += 1
    }
    return true
  }

  /// Returns whether a state still has to be delivered, and records how many are pending.
  @inline(__always)
  private func isDue(_ version: UInt64, for subscription: Subscription, at reading: DeliveryGate.Reading) -> Bool {
    // Otherwise, the subscription has joined later, or has received this state as its replay.
    guard reading.next <= version else { return false }
    let newest = newest
    if newest == version, subscription.counts == nil { return true }
    subscription.noteBacklog(from: reading.next, newest: newest)
    // Otherwise, newer states have made it unnecessary (2.04).
    return newest - version < UInt64(keptCount)
  }

  private enum DeliveryEnd {
    /// Whatever there is to do is done. Perhaps the gate was closed, and nothing was delivered.
    case ended
    case foundDead
    /// The subscription was cancelled while its delivery was under way, and `removeLeaving` has to follow.
    case foundCancel
  }

  /// Makes one delivery: begin at the gate, load the subscriber, call it, end at the gate.
  @inline(__always)
  private func deliver(
    _ state: QueuedState, to subscription: Subscription, at reading: DeliveryGate.Reading, _ slot: Int,
    in snapshot: SubscriptionList.Snapshot
  ) -> DeliveryEnd {
    guard subscription.gate.begin(state.version, from: reading) else { return .ended }
    guard call(slot, in: snapshot, subscription, state.state) else {
      return subscription.gate.retract(state.version, to: reading) ? .foundDead : .foundCancel
    }
    subscription.counts?.countDelivery(of: state.version)
    return subscription.gate.end(state.version) ? .ended : .foundCancel
  }

  /// Removes a subscription that was cancelled during its last delivery, which has now ended.
  ///
  /// Passes on immediate lanes that have waited for that.
  @inline(never)
  private func removeLeaving(_ subscription: Subscription, _ successor: (Lane) -> Void) {
    var effects = Effects()
    registry.turn { state in state.removeLeaving(subscription, &effects) }
    effects.perform(immediately: successor)
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
