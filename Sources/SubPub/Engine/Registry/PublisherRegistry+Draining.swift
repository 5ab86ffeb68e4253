import Dispatch

extension PublisherRegistry {
  /// Waits until every present subscription has been served (3.07), or the task is cancelled.
  @usableFromInline
  package nonisolated func drain() async {
    guard let (waiter, looksForDead) = turn({ $0.beginDraining() }) else { return }
    if looksForDead { lookForDead() }
    await wait(for: waiter) { perform { state, effects in state.abandonDrain(waiter, &effects) } }
  }

  /// Waits as `drain()` does, but no longer than the limit.
  ///
  /// Returns the subscriptions that are late: none if all have been served, or if the task is cancelled. Throws the
  /// clock's error unless all have been served first.
  nonisolated func drain(within limit: Duration, clock: any Clock<Duration>) async throws -> [Subscription] {
    guard limit < .unlimited else {
      await drain()
      return []
    }
    guard let (waiter, looksForDead) = turn({ $0.beginDraining() }) else { return [] }
    if looksForDead { lookForDead() }
    let late = Locked<Result<[Subscription], any Error>>(.success([]))
    // Holds the registry weakly: a foreign clock may ignore the cancellation and continue to sleep.
    let timer = Task.detached { [weak self] in
      do { try await clock.sleep(for: limit) } catch {
        if Task.isCancelled { return }
        late.withLock { $0 = .failure(error) }
      }
      self?.timeOutDrain(waiter) { subscriptions in
        late.withLock { late in if case .success = late { late = .success(subscriptions) } }
      }
    }
    await wait(for: waiter) { perform { state, effects in state.abandonDrain(waiter, &effects) } }
    timer.cancel()
    return try late.withLock { $0 }.get()
  }

  /// Calls `found`, and then ends the wait unless it is over.
  ///
  /// Two turns, because a task that hasn't begun to wait doesn't wait at all once its wait has ended.
  private nonisolated func timeOutDrain(_ waiter: WaiterID, _ found: ([Subscription]) -> Void) {
    found(turn { $0.lateSubscriptions(of: waiter) })
    perform { state, effects in state.abandonDrain(waiter, &effects) }
  }

  /// Looks for dead subscribers 20 times a second while a `drain()` or an `ended()` is waiting.
  ///
  /// Nothing else would notice that a subscriber has died if its context doesn't run, and nobody should wait for the
  /// dead. The timer holds the registry, but not the publisher. With a weak reference, a program that ends before
  /// the timer fires would seem to leak, because no sanitizer understands pending weak references.
  nonisolated func lookForDead() {
    DispatchQueue.withOwnThread().asyncAfter(deadline: .now() + .milliseconds(50)) { [self] in
      guard let awaited = turn({ $0.awaitedSubscriptions() }) else { return }
      retire(awaited)
      lookForDead()
    }
  }

  /// Waits until a waiter's events have happened; calls `onCancel` if the task is cancelled.
  nonisolated func wait(for waiter: WaiterID, onCancel: @Sendable () -> Void = {}) async {
    await SuspendedTask.wait { task in
      turn { $0.waiters.suspend(waiter, task) }
    } onCancel: {
      onCancel()
    }
    // The caller may now read what deliveries have written (2.09). The continuation orders that, but ThreadSanitizer
    // doesn't know it if the task was resumed before it had suspended. A turn makes the order visible.
    turn { _ in }
  }
}

extension RegistryState {
  /// Registers a waiter for everything that has to be served; returns nil if there is nothing.
  ///
  /// Also returns whether the caller has to look for dead subscribers.
  fileprivate mutating func beginDraining() -> (WaiterID, looksForDead: Bool)? {
    let waiter = waiters.add(missing: 0)
    var (missing, mayWaitForDead) = (0, false)
    lanes.forEach { [newest] lane in
      guard lane.addDrain(waiter, upTo: newest) else { return }
      missing += 1
      mayWaitForDead = mayWaitForDead || lane.mayWaitForDead
    }
    guard let waiter = waiters.expect(missing, of: waiter) else { return nil }
    return (waiter, startsLookingForDead(if: mayWaitForDead))
  }

  /// Returns whether the caller has to look for dead subscribers from now on, if what it waits for may wait for one.
  mutating func startsLookingForDead(if mayWaitForDead: Bool) -> Bool {
    guard mayWaitForDead, !isLookingForDead else { return false }
    isLookingForDead = true
    return true
  }

  /// The subscriptions that a `drain()` or an `ended()` may be waiting for; nil once there are none, which ends the
  /// search.
  fileprivate mutating func awaitedSubscriptions() -> [Subscription]? {
    let awaited = lanes.all.filter(\.mayWaitForDead)
    isLookingForDead = !awaited.isEmpty
    return awaited.isEmpty ? nil : awaited.flatMap(\.inTurn.subscriptions.open)
  }

  /// Returns the subscriptions that a call of `drain()` is waiting for.
  fileprivate func lateSubscriptions(of waiter: WaiterID) -> [Subscription] {
    lanes.all.flatMap { lane in lane.inTurn.drains[waiter].map { lane.awaitedSubscriptions(by: $0) } ?? [] }
  }

  /// Ends a wait whose task was cancelled, or whose time is over.
  fileprivate mutating func abandonDrain(_ waiter: WaiterID, _ effects: inout Effects) {
    lanes.forEach { $0.inTurn.drains.remove(waiter) }
    effects.resume(waiters.remove(waiter))
  }
}

extension Lane {
  /// Whether a `drain()` or an `ended()` waits for this lane, whose subscribers may die before it is served.
  ///
  /// Contexts with fixed time slices belong to tests, in which nothing happens by itself.
  var mayWaitForDead: Bool {
    (!inTurn.drains.isEmpty || !inTurn.endWaiters.isEmpty) && !isIteration && context.fixedTimeSlice == nil
  }
}
