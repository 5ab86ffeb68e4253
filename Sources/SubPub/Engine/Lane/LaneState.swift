/// The state of a lane: what is pending, for whom, and what is being done about it.
///
/// Decides only, inside turns of the registry: it takes no lock, starts nothing, and releases nothing foreign. What is to be
/// done goes into `Effects`.
package struct LaneState {
  let lane: Lane
  let subscriptions = SubscriptionList()
  var cursors = ActiveCursors()
  var retention = Retention()
  var pending = StateQueue()
  /// The rest of a batch, put aside when the time slice was over. Its snapshot is still out.
  var paused: Batch?
  /// The number of open subscriptions.
  var active = 0
  /// The slots of cancelled subscriptions with a delivery under way. Their closures go when it has ended.
  var retiring: [Int] = []
  /// Calls of `drain()` that wait for this lane, and those that needn't wait for it any longer.
  package var drains: [DrainWait] = []
  var drained: [WaiterID] = []
  /// Subscriptions that wait for their predecessors. Nil while there are none.
  var successors: Successors?
  /// The publisher is gone. Pending states are still delivered.
  var isClosing = false
  /// The iterating task, if it is suspended.
  var iteratingTask: SuspendedTask?

  init(_ lane: Lane) { self.lane = lane }

  var isIteration: Bool { lane.iteration != nil }

  /// Nothing is pending or under way, and nobody is there.
  var isUnused: Bool { active == 0 && lane.phase.isIdle && iteratingTask == nil }
}

/// States and subscriptions that arrive.
extension LaneState {
  /// A new state. Returns a snapshot if the caller is to deliver it now.
  @inline(__always)
  mutating func append(_ state: QueuedState, _ effects: inout Effects) -> SubscriptionList.Snapshot? {
    guard active > 0 else { return nil }
    lane.setNewest(state.version)
    if successors != nil { holdBack(state, &effects) }
    if lane.isImmediate, lane.phase.isIdle {
      lane.phase.enter(.serving)
      return subscriptions.snapshot
    }
    if canOvertakeWake { return overtakeWake() }
    enqueue(state, &effects)
    return nil
  }

  /// A new subscription, and the state that it gets first. Returns a snapshot if the caller is to deliver that state now.
  ///
  /// - Parameter predecessors: The number of deliveries that have to end before its first one.
  @inline(__always)
  mutating func join(
    _ subscription: Subscription, _ deliver: @escaping Deliver, replay: QueuedState?, newest: UInt64, predecessors: Int,
    _ effects: inout Effects
  ) -> SubscriptionList.Snapshot? {
    lane.setNewest(newest)
    subscriptions.append(subscription, deliver, snapshotIsOut: !lane.phase.isIdle)
    active += 1
    retention.add(subscription)
    if predecessors > 0 {
      let successors = successors ?? Successors()
      self.successors = successors
      successors.add(subscription, predecessors: predecessors, replay: replay, &effects)
      return nil
    }
    // If the state is still pending here, the newcomer gets it with everyone else.
    guard let replay, pending.last?.version != newest else { return nil }
    if lane.isImmediate, lane.phase.isIdle {
      lane.phase.enter(.serving)
      return subscriptions.snapshot
    }
    if canOvertakeWake { return overtakeWake() }
    enqueue(replay, &effects)
    if pending.count == 1 { pending.firstSlot = subscription.slot }
    return nil
  }

  @inline(__always)
  private mutating func enqueue(_ state: QueuedState, _ effects: inout Effects) {
    if isIteration { return enqueueForIterator(state, &effects) }
    pending.append(state)
    if !retention.keepsAll(from: pending.firstVersion) {
      retention.trim(&pending, &effects)
      completeSkippedDrains()
    }
    if !lane.phase.isAwaitingContext, !lane.phase.request(.more) {
      lane.phase.enter(.scheduled)
      effects.wake(lane)
    }
  }

  /// Whether this is the publishing thread's lane and was woken for its successors only. No thread serves it yet, so all
  /// others get the state now (2.03).
  private var canOvertakeWake: Bool { lane.isImmediate && lane.phase.current == .scheduled && pending.isEmpty }

  @inline(never)
  private func overtakeWake() -> SubscriptionList.Snapshot {
    lane.phase.enter(.serving)
    // So that the round ends with a turn, which admits the successors.
    _ = lane.phase.request(.more)
    return subscriptions.snapshot
  }

  @inline(never)
  private mutating func holdBack(_ state: QueuedState, _ effects: inout Effects) {
    successors?.append(state, &effects)
    completeSkippedDrains()
  }
}

/// Subscriptions that leave.
extension LaneState {
  /// The subscription's gate was closed, with what `found` says under way.
  mutating func cancel(_ subscription: Subscription, found: DeliveryGate.Reading, _ effects: inout Effects) {
    remove(subscription, found: found, &effects)
    tidy(&effects)
  }

  /// Ends every subscription: the publisher is gone and nothing is left to deliver, or the context is gone.
  mutating func close(_ effects: inout Effects) {
    for slot in 0..<subscriptions.count {
      let subscription = subscriptions[slot]
      if let found = subscription.gate.close(at: lane.newest) { remove(subscription, found: found, &effects) }
    }
    tidy(&effects)
  }

  /// Its closure goes now, or when the delivery that is under way has ended.
  private mutating func remove(_ subscription: Subscription, found: DeliveryGate.Reading, _ effects: inout Effects) {
    discount(subscription)
    if successors != nil { removeSuccessor(subscription, &effects) }
    if found.isUnderWay, lane.phase.request(.attention) {
      retiring.append(subscription.slot)
    } else {
      vacate(subscription.slot, &effects)
    }
  }

  /// The subscription doesn't count any more.
  mutating func discount(_ subscription: Subscription) {
    subscription.noteBacklog(from: subscription.next(at: subscription.gate.reading), newest: lane.newest)
    lane.iteration?.skipPending()
    active -= 1
    retention.remove(subscription)
  }

  func vacate(_ slot: Int, _ effects: inout Effects) {
    // The end of the delivery that was under way has overwritten the cancel's mark, and nothing may pass again.
    subscriptions[slot].gate.mark()
    if let closure = subscriptions.vacate(slot) { effects.release(closure) }
  }

  /// After subscriptions have left, outside the turns of a serving thread: drops what only they were to get.
  private mutating func tidy(_ effects: inout Effects) {
    if var batch = paused.take() {
      trim(&batch, &effects)
      if !isAwaited(&batch), let state = batch.current.take() { effects.release(state.state) }
      // If everyone has left, nobody will use its snapshot.
      if active > 0 { paused = batch }
    } else {
      // A serving thread has states in hand, so it trims them itself.
      _ = lane.phase.request(.attention)
      trim(&effects)
    }
    if !drains.isEmpty {
      completeDepartedDrains()
      completeSkippedDrains()
    }
    if active == 0, let task = iteratingTask.take() { effects.resume(task) }
    switch lane.phase.current {
    case .idle, .scheduled: compact()
    case .paused: if paused == nil { compact() }
    case .serving: break
    }
  }

  /// Whether the round that was put aside still has a subscription to visit. Moves on to it.
  private func isAwaited(_ batch: inout Batch) -> Bool {
    guard let snapshot = batch.snapshot, batch.current != nil else { return false }
    while batch.slot < snapshot.count, !subscriptions[batch.slot].gate.isOpen { batch.slot += 1 }
    return batch.slot < snapshot.count
  }

  /// Only while no snapshot is out.
  mutating func compact() {
    subscriptions.compact { newSlot in
      pending.firstSlot = newSlot(pending.firstSlot)
      cursors.move(newSlot)
      for index in drains.indices { drains[index].limit = newSlot(drains[index].limit) }
    }
  }
}
