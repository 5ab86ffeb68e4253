/// The state of a lane: its pending states, its subscriptions, and its progress.
///
/// Decides only, inside turns of the registry: it takes no lock, starts nothing, and releases nothing foreign.
/// Everything that remains to be done goes into `Effects`.
package struct LaneState {
  let lane: Lane
  let subscriptions = SubscriptionList()
  var cursors = OpenCursors()
  var retention = Retention()
  var pending = StateQueue()
  /// The newest version when the lane last took states to serve.
  var newestTaken: UInt64
  /// The number of open subscriptions.
  var openCount = 0
  /// How many subscriptions of a `DirectorySubscription` have left and are still to be subtracted from `partCount`.
  private var departedParts = 0
  /// Calls of `drain()` that wait for this lane.
  package var drains: [DrainWait] = []
  var drained: [WaiterID] = []
  /// The number of deliveries in other lanes that have to end before this lane is woken (2.06).
  var predecessorCount: Int
  /// Whether the publisher is gone; pending states are still delivered.
  var isClosing = false
  /// The iterating task, if it is suspended.
  var iteratingTask: SuspendedTask?

  init(_ lane: Lane, behind predecessorCount: Int = 0) {
    self.lane = lane
    self.predecessorCount = predecessorCount
    newestTaken = lane.newest
  }

  var isIteration: Bool { lane.iteration != nil }

  /// Whether nothing is pending or under way, and there is no subscription.
  var isUnused: Bool { openCount == 0 && lane.phase.isIdle && iteratingTask == nil }
}

/// States and subscriptions that arrive.
extension LaneState {
  /// Adds a new state; returns a snapshot if the caller has to deliver it now.
  @inline(__always)
  mutating func append(_ state: QueuedState, _ effects: inout Effects) -> SubscriptionList.Snapshot? {
    guard openCount > 0 else { return nil }
    lane.setNewest(state.version)
    if let snapshot = beginDelivering(effects) { return snapshot }
    enqueue(state, &effects)
    return nil
  }

  /// Adds a subscription and, unless it is already pending, its first state.
  ///
  /// Returns a snapshot if the caller has to deliver that state now.
  @inline(__always)
  mutating func join(
    _ subscription: Subscription, _ deliver: @escaping Deliver, replay: QueuedState?, newest: UInt64,
    _ effects: inout Effects
  ) -> SubscriptionList.Snapshot? {
    lane.setNewest(newest)
    subscriptions.append(subscription, deliver, snapshotIsOut: !lane.phase.isIdle)
    openCount += 1
    retention.add(subscription)
    // If the state is still pending here, the new subscription receives it with all others.
    guard let replay, pending.last?.version != newest else { return nil }
    if let snapshot = beginDelivering(effects) { return snapshot }
    enqueue(replay, &effects)
    // Behind other pending states, which are for everyone, the replay is passed by the other subscriptions' gates.
    if pending.count == 1 { pending.firstSlot = subscription.slot }
    return nil
  }

  @inline(__always)
  private mutating func enqueue(_ state: QueuedState, _ effects: inout Effects) {
    if isIteration { return enqueueForIterator(state, &effects) }
    pending.append(state)
    if !retention.keepsAll(from: pending.firstVersion) { retention.trim(&pending, &effects) }
    if !drains.isEmpty { completeDrains() }
    if lane.phase.current == .scheduled {
      // The thread that has woken the publishing thread's lane may be running foreign code first.
      if lane.isImmediate { effects.wake(lane) }
    } else if !lane.phase.request(.more) {
      wake(&effects)
    }
  }

  /// Wakes the lane, unless it has to wait for other deliveries.
  private func wake(_ effects: inout Effects) {
    guard predecessorCount == 0 else { return }
    lane.phase.enter(.scheduled)
    effects.wake(lane)
  }

  /// Records that a delivery has ended that the lane has waited for.
  mutating func countDown(_ effects: inout Effects) {
    predecessorCount -= 1
    if !pending.isEmpty { wake(&effects) }
  }

  /// Returns a snapshot if the caller is to deliver a state as soon as this turn has ended.
  ///
  /// Not if it runs foreign code first, which may block or publish: then any thread may serve the lane (2.03).
  @inline(__always)
  private func beginDelivering(_ effects: borrowing Effects) -> SubscriptionList.Snapshot? {
    guard lane.isImmediate, lane.isShared, lane.phase.isIdle, !effects.runsForeignCode, drained.isEmpty else {
      return nil
    }
    lane.phase.enter(.serving)
    lane.setServingThread(lane.registry.executor.holder)
    return subscriptions.snapshot
  }
}

/// Subscriptions that leave.
extension LaneState {
  /// Removes a subscription whose gate was closed; `found` is what the gate contained before.
  mutating func cancel(_ subscription: Subscription, found: DeliveryGate.Reading, _ effects: inout Effects) {
    remove(subscription, found: found, &effects)
    dropUnneeded(&effects)
  }

  /// Ends every subscription.
  ///
  /// Called when the publisher is gone and nothing is left to deliver, or when the context is gone.
  mutating func close(_ effects: inout Effects) {
    for slot in 0..<subscriptions.count {
      let subscription = subscriptions[slot]
      if let found = subscription.gate.close(at: lane.newest) { remove(subscription, found: found, &effects) }
    }
    dropUnneeded(&effects)
  }

  /// Removes a subscription, and releases its closure now or when the delivery under way has ended.
  private mutating func remove(_ subscription: Subscription, found: DeliveryGate.Reading, _ effects: inout Effects) {
    discount(subscription)
    if !found.isUnderWay { vacate(subscription.slot, &effects) }
  }

  /// Stops counting the subscription.
  mutating func discount(_ subscription: Subscription) {
    subscription.noteBacklog(from: subscription.gate.reading.next, newest: lane.newest)
    lane.iteration?.skipPending()
    openCount -= 1
    if subscription.interface.isPart { departedParts += 1 }
    retention.remove(subscription)
  }

  mutating func takeDepartedParts() -> Int {
    defer { departedParts = 0 }
    return departedParts
  }

  func vacate(_ slot: Int, _ effects: inout Effects) {
    if let closure = subscriptions.vacate(slot) { effects.release(closure) }
    // So that the round ends with a turn, which compacts.
    if subscriptions.isSparse { _ = lane.phase.request(.more) }
  }

  /// Drops states that only subscriptions that have left would have received.
  ///
  /// Called in the turns of cancels and ends, and not in those of the serving thread.
  private mutating func dropUnneeded(_ effects: inout Effects) {
    // A serving thread has its own states, which it trims itself.
    _ = lane.phase.request(.attention)
    trim(&effects)
    completeDrains()
    if openCount == 0, let task = iteratingTask.take() { effects.resume(task) }
    if lane.phase.current != .serving { compact() }
  }

  /// Removes vacated slots; only while no snapshot is in use.
  mutating func compact() {
    subscriptions.compact { newSlot in
      pending.firstSlot = newSlot(pending.firstSlot)
      cursors.move(newSlot)
      for index in drains.indices { drains[index].move(newSlot) }
    }
  }
}
