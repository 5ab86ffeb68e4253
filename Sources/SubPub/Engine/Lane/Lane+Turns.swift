/// In turns.
extension Lane {
  /// Whether nothing is pending or under way, and there is no subscription.
  var isUnused: Bool { inTurn.openCount == 0 && phase.isIdle && inTurn.iteratingTask == nil }
}

/// States and subscriptions that arrive.
extension Lane {
  /// Adds a new state; returns a snapshot if the caller has to deliver it now.
  @inline(__always)
  func append(_ state: QueuedState, _ effects: inout Effects) -> SubscriptionList.Snapshot? {
    guard inTurn.openCount > 0, !isSuperseding else { return nil }
    setNewest(state.version)
    if let snapshot = beginDelivering(effects) { return snapshot }
    enqueue(state, &effects)
    return nil
  }

  /// Whether a state that is newer than the one being delivered is pending for all, so that one more makes no
  /// difference before the serving thread's next turn.
  ///
  /// Then nothing that this thread reads is written: under a flood, that was half of the cost of a publish.
  @inline(__always) private var isSuperseding: Bool {
    guard inTurn.currentFrom == 0, phase.current == .serving else { return false }
    // Drains have to look at each state, and immediate lanes at each thread.
    return inTurn.drains.isEmpty && !isImmediate
  }

  /// Adds a subscription and, unless it is already pending, its first state.
  ///
  /// Returns a snapshot if the caller has to deliver that state now.
  @inline(__always)
  func join(
    _ subscription: Subscription, _ deliver: @escaping Deliver, replay: QueuedState?, newest: UInt64,
    _ effects: inout Effects
  ) -> SubscriptionList.Snapshot? {
    setNewest(newest)
    inTurn.subscriptions.append(subscription, deliver, snapshotIsOut: !phase.isIdle)
    inTurn.openCount += 1
    // If the state is still pending here, the new subscription receives it with all others.
    guard let replay, !inTurn.isPending(newest) else { return nil }
    if let snapshot = beginDelivering(effects) { return snapshot }
    enqueue(replay, &effects)
    if servesCurrent { inTurn.currentFrom = subscription.slot }
    // If other states are pending, the older subscriptions skip the replay at their gates.
    if inTurn.pending.count == 1 { inTurn.pending.firstSlot = subscription.slot }
    return nil
  }

  @inline(__always)
  private func enqueue(_ state: QueuedState, _ effects: inout Effects) {
    if isIteration { return enqueueForIterator(state, &effects) }
    if isImmediate, phase.current == .serving, registry.executor.holder != servingThread {
      inTurn.isPendingFromOthers = true
    }
    if servesCurrent {
      inTurn.currentFrom = 0
    } else {
      inTurn.pending.append(state)
      dropSurplus(&effects)
    }
    if !inTurn.drains.isEmpty { completeDrains(&effects) }
    if phase.current == .scheduled {
      // The thread that has woken the publishing thread's lane may be running foreign code first.
      if isImmediate { effects.wake(self) }
    } else if !phase.request(.more) {
      // No thread serves the lane.
      schedule(&effects)
    }
  }

  /// Drops the oldest pending states beyond those that the policy keeps.
  @inline(__always)
  func dropSurplus(_ effects: inout Effects) {
    while inTurn.pending.count > keptCount, let state = inTurn.pending.popFirst() { effects.release(state.state) }
  }

  /// Has the lane woken, or the iterating task resumed, unless the lane has to wait.
  func schedule(_ effects: inout Effects) {
    guard inTurn.obstacleCount == 0 else { return }
    if isIteration { return effects.resume(inTurn.iteratingTask.take()) }
    phase.enter(.scheduled)
    effects.wake(self)
  }

  /// Records one of the events that the lane has waited for.
  func countDown(_ effects: inout Effects) {
    inTurn.obstacleCount -= 1
    if inTurn.isPending { schedule(&effects) }
  }

  /// Returns a snapshot if the caller is to deliver a state as soon as this turn has ended.
  ///
  /// Not if it runs foreign code first, which may block or publish: then any thread may serve the lane (2.03).
  @inline(__always)
  private func beginDelivering(_ effects: borrowing Effects) -> SubscriptionList.Snapshot? {
    guard deliversAtOnce, phase.isIdle, !effects.runsForeignCode else { return nil }
    phase.enter(.serving)
    servingThread = registry.executor.holder
    return inTurn.subscriptions.snapshot
  }
}

/// Subscriptions that leave.
extension Lane {
  /// Ends every subscription.
  ///
  /// Called when the context is gone, or when a publisher that was finished or released has nothing left to deliver
  /// here.
  func close(as end: SubscriptionEnd, _ effects: inout Effects) {
    for slot in 0..<inTurn.subscriptions.count {
      let subscription = inTurn.subscriptions[slot]
      // An actor that is its own context is a subscriber first.
      let isOwnContext = end == .contextReleased && subscription.subscriberID == context.actorID
      if let found = subscription.gate.close(at: newest, as: isOwnContext ? .subscriberReleased : end) {
        remove(subscription, found: found, &effects)
      }
    }
    dropUnneeded(&effects)
  }

  /// Removes a subscription whose gate was closed, and releases its closure now or when the delivery under way has
  /// ended.
  ///
  /// `found` is what the gate contained before. `dropUnneeded` follows, once for all that leave together.
  func remove(_ subscription: Subscription, found: DeliveryGate.Reading, _ effects: inout Effects) {
    subscription.noteBacklog(from: found.next, newest: newest)
    iteration?.skipPending()
    inTurn.openCount -= 1
    inTurn.departed.count += 1
    if subscription.interface.isPart { inTurn.departed.parts += 1 }
    if !found.isUnderWay { vacate(subscription, &effects) }
  }

  /// Releases the closure of a subscription that has ended, when none of its deliveries is under way.
  ///
  /// Called once for each subscription, so whoever waits for that moment, or is told of it, is called now.
  func vacate(_ subscription: Subscription, _ effects: inout Effects) {
    if subscription.interface.isDerivation || registry.extras != nil || !inTurn.endWaiters.isEmpty {
      announceEnd(of: subscription, &effects)
    }
    effects.release(inTurn.subscriptions.vacate(subscription.slot))
    // So that the round ends with a turn, which compacts.
    if inTurn.subscriptions.isSparse { _ = phase.request(.more) }
  }

  /// Removes a waiter whose task was cancelled.
  func removeEndWaiter(_ waiter: WaiterID, of subscription: Subscription) {
    let id = ObjectIdentifier(subscription)
    inTurn.endWaiters[id]?.remove(waiter)
    if inTurn.endWaiters[id]?.isEmpty ?? false { inTurn.endWaiters[id] = nil }
  }

  @inline(never)
  private func announceEnd(of subscription: Subscription, _ effects: inout Effects) {
    if let waiters = inTurn.endWaiters.removeValue(forKey: ObjectIdentifier(subscription)) {
      for waiter in waiters.sorted() { effects.arrive(waiter) }
    }
    if let reporter = registry.extras?.reporter, reporter.add(.ended(subscription)) { effects.report(reporter) }
    if subscription.interface.isDerivation, let end = subscription.gate.reason, end.isOfSource {
      effects.call { (subscription.subscriber as? SourceFollower)?.sourceHasFinished() }
    }
  }

  /// Drops states that only subscriptions that have left would have received.
  ///
  /// Called after cancels and ends; also in the serving thread's last turn, when the publisher has finished and the
  /// lane is idle.
  func dropUnneeded(_ effects: inout Effects) {
    // A serving thread has its own states, which it trims itself.
    _ = phase.request(.attention)
    if inTurn.isPending { inTurn.trim(newest: newest, &effects) }
    completeDrains(&effects)
    if inTurn.openCount == 0 { effects.resume(inTurn.iteratingTask.take()) }
    if phase.current != .serving { compact() }
  }

  /// Removes vacated slots; only while no snapshot is in use.
  func compact() {
    inTurn.subscriptions.compact { newSlot in
      inTurn.pending.firstSlot = newSlot(inTurn.pending.firstSlot)
      inTurn.currentFrom = inTurn.currentFrom.map(newSlot)
      inTurn.drains.move(newSlot)
    }
  }
}
