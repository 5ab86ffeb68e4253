import Synchronization

/// The driver of a stream's runs and edits, which follows the sequence and publishes its elements (5.21).
typealias StreamDriver<Value: Sendable> = ManagerDriver<Value, StreamMachine<Value>>

extension ManagerDriver where Machine == StreamMachine<Value> {
  /// Creates a driver; the `timeout` of the options is how long an element is waited for.
  convenience init(
    _ publisher: Publisher<Value>, _ options: LoadingOptions<Value>, keepingAlive: Duration,
    follow: @escaping StreamMachine<Value>.Follow
  ) {
    guard keepingAlive >= .zero else {
      stopForMisuse(
        "keepingAlive is \(keepingAlive), but a stream can't end before its last listener is gone: give zero or more")
    }
    if let elementTimeout = options.timeout, elementTimeout <= .zero {
      stopForMisuse(
        "elementTimeout is \(elementTimeout), but no element comes in no time: give more than zero, or nil for no limit"
      )
    }
    self.init(
      publisher, options,
      StreamMachine(endsAtOnce: keepingAlive == .zero, sendsOneAtATime: options.sends == .oneAtATime),
      Tasks { driver, run in
        driver.start(run, follow)
      } depart: { driver, task, departure in
        driver.end(after: departure, in: task, keepingAlive: keepingAlive)
      })
    registry.findsDeadListeners.store(true, ordering: .relaxed)
    registry.addNotice(for: ObjectIdentifier(owner), countingParts: true) { [weak self] in self?.noteListeners() }
  }

  /// Ends the run, because the manager is gone.
  func endStream() {
    registry.removeNotice(for: ObjectIdentifier(owner))
    endManager()
  }

  var isRunning: Bool {
    registry.turn { turn in owner.machine.isRunning(turn.notice(for: ObjectIdentifier(owner))) }
  }

  /// How many runs have begun, and the version from which on states are of the active run, or of the next one.
  var runsSoFar: (count: Int, version: UInt64) {
    findLatest { machine, newest in (machine.runCount, machine.run != nil ? newest : newest + 1) }
  }

  /// The version with which the last run has begun, which may be over.
  var versionOfLastRun: UInt64 { findLatest { machine, _ in machine.versionOfLastRun } }

  /// Returns what `body` finds in the machine, which knows the last notice, given the newest version; in a turn.
  private func findLatest<Found>(_ body: (Machine, UInt64) -> Found) -> Found {
    decide { _, _ in Step() }
    return registry.turn { turn in body(owner.machine, turn.newest) }
  }

  /// Begins a run if somebody listens and none is active; with a number, only if no more runs than that have begun.
  ///
  /// With `restarting`, the run takes the place of an active one.
  func beginIfListenedTo(ifRunsAre runs: Int? = nil, restarting: Bool = false) {
    registry.retireDeadListeners()
    decide { $0.beginIfListenedTo(ifRunsAre: runs, restarting: restarting, $1) }
  }
}

/// The life of one run.
extension ManagerDriver where Machine == StreamMachine<Value> {
  private func end(after departure: Departure, in task: CancellableTask, keepingAlive: Duration) {
    guard keepingAlive < .unlimited else { return }
    task.start(on: limit.executor) { [self] in
      // If the clock fails, the run ends now. A cancelled pause isn't the last departure any more.
      _ = await limit.pause(for: keepingAlive)
      decide { $0.end(after: departure, $1) }
    }
  }

  private func start(_ run: Run<Value>, _ follow: @escaping StreamMachine<Value>.Follow) {
    run.task.start(on: limit.executor) { [self] in
      await publishCached(of: run)
      var id = run.id
      let error = await publishElements(in: &id, follow)
      decide { $0.endTask(of: id, error, $1) }
    }
  }

  /// Publishes the value in the cache, if there is one, and shows that the stream goes on.
  private func publishCached(of run: Run<Value>) async {
    guard let cached = await cachedValue(of: run) else { return }
    let time = freshSince(age: cached.age)
    var isShown = false
    await decidePrepared { machine, prepared, present in
      isShown = false
      let decision = machine.find(cached, freshSince: time, of: run.id, prepared, present)
      if case .done(let step) = decision { isShown = step.publisher.published != nil }
      return decision
    }
    if isShown { decide { $0.showLoading(of: run.id, $1) } }
  }

  /// Follows the sequence, and tries again after errors as the policy says; `run` becomes the last attempt.
  ///
  /// Returns when the sequence has ended, when no attempt is left, and when the run is over: nil, or the last error
  /// that was published.
  private func publishElements(
    in run: inout RunID, _ follow: @escaping StreamMachine<Value>.Follow
  ) async -> (any Error)? {
    while failures(in: run) != nil {
      guard case .failure(let error) = await iterate(in: run, follow) else { return nil }
      // An error of a run that is over is no failure.
      guard let failures = failures(in: run) else { return nil }
      let delay = options.retry.delay(after: failures + 1, error)
      let failed = run
      decide { $0.fail(error, isLast: delay == nil, of: failed, $1) }
      run.attempt += 1
      // If the clock fails, the error stays and the run ends.
      guard let delay, await limit.pause(for: delay) else { return error }
      let next = run
      decide { $0.showLoading(of: next, $1) }
    }
    return nil
  }

  /// The errors since the last element; nil if the run is over.
  private func failures(in run: RunID) -> Int? {
    registry.turn { _ in owner.machine.run?.id == run ? owner.machine.run?.failures : nil }
  }

  /// Makes one attempt, which also fails if no element comes for too long; nil if the run is over.
  private func iterate(
    in run: RunID, _ follow: @escaping StreamMachine<Value>.Follow
  ) async -> Result<Void, any Error>? {
    guard let timeout = options.timeout, timeout < .unlimited else {
      return await limit.run { [self] in try await iterate(in: run, follow, nil) }
    }
    let deadline = ElementDeadline(after: timeout, options.clock)
    return await limit.run({ [self] in try await iterate(in: run, follow, deadline) }, while: { deadline.rest })
  }

  /// Publishes each element before it asks for the next.
  ///
  /// Two sequences never exist at once: it begins when the one before is gone, even if that ignores its cancellation.
  private func iterate(
    in run: RunID, _ follow: StreamMachine<Value>.Follow, _ deadline: ElementDeadline?
  ) async throws {
    guard await beginIterating(in: run) else { return }
    defer {
      registry.perform { turn, effects in
        owner.follower = nil
        if let next = owner.machine.endIterating() { turn.waiters.remove(next, &effects) }
      }
    }
    try await follow { element in
      deadline?.stop()
      defer { deadline?.move() }
      let time = freshSince()
      var isReceived = false
      await decidePrepared { machine, prepared, present in
        isReceived = machine.run?.id == run
        return machine.receive(element, at: time, of: run, prepared, present)
      }
      return isReceived
    }
  }

  /// Waits until no sequence exists; returns false if the attempt is over by then.
  private func beginIterating(in run: RunID) async -> Bool {
    let task = TaskToken.current
    while !Task.isCancelled {
      let (begins, waiter) = registry.turn { turn -> (Bool, WaiterID?) in
        guard owner.machine.run?.id == run else { return (false, nil) }
        let waiter = owner.machine.beginIterating(orWait: turn.waiters.add(missing: 1))
        if waiter == nil { owner.follower = task }
        return (waiter == nil, waiter)
      }
      guard let waiter else { return begins }
      await registry.wait(for: waiter) {
        registry.perform { turn, effects in turn.waiters.remove(waiter, &effects) }
      }
    }
    return false
  }
}

/// Waiting for the end.
extension ManagerDriver where Machine == StreamMachine<Value> {
  /// A task that waits for the end of a run.
  struct EndWait {
    let waiter: WaiterID
    /// Says how the run has ended, whatever others have published since.
    let outcome: RunOutcome
    /// How many runs had begun; nil if one was active.
    let runs: Int?
  }

  /// How the last run has ended by itself, unless others have changed the state since; otherwise, a wait for the end of
  /// the active run, or of the next one, and of those that take its place.
  ///
  /// In one turn, so that no run that ends later is missed. Returns neither after the publisher's end, nor, without a
  /// last end, if the task doesn't wait.
  func beginWaitingForEnd(waits: Bool) -> (lastEnd: RunEnd?, wait: EndWait?) {
    decide { _, _ in Step() }
    return registry.perform { turn, effects in
      let machine = owner.machine
      if machine.run == nil, let end = owner.outcome?.end, end.isByItself { return (end, nil) }
      guard waits, !machine.isOver else { return (nil, nil) }
      let waiter = turn.waiters.add(missing: 1)
      owner.machine.addEndWaiter(waiter)
      let outcome = owner.outcomeToCome(&effects)
      return (nil, EndWait(waiter: waiter, outcome: outcome, runs: machine.run == nil ? machine.runCount : nil))
    }
  }

  /// Returns how the run has ended; nil if the task is cancelled, or the publisher has ended before the run has begun.
  func end(of wait: EndWait) async -> RunEnd? {
    registry.stopIfAwaitedByOwner()
    await registry.wait(for: wait.waiter) {
      registry.perform { turn, effects in
        owner.machine.removeEndWaiter(wait.waiter)
        turn.waiters.remove(wait.waiter, &effects)
      }
    }
    return registry.turn { _ in wait.outcome.end }
  }
}

/// The time within which a stream has to produce its next element, which each element moves.
private final class ElementDeadline: Sendable {
  private let timeout: Duration
  private let elapsed: @Sendable () -> Duration
  /// Since when the next element is waited for; nil while one is being delivered.
  private let waitingSince = Locked<Duration?>(.zero)

  init(after timeout: Duration, _ clock: any Clock<Duration>) {
    self.timeout = timeout
    elapsed = clock.stopwatch()
  }

  /// How much time is left; nil once it is over.
  var rest: Duration? {
    let now = elapsed()
    let since = waitingSince.withLock { since in
      // If the clock was set back, the time begins anew.
      since = since.map { min($0, now) }
      return since
    }
    guard let since else { return timeout }
    let rest = timeout - (now - since)
    return rest > .zero ? rest : nil
  }

  /// Lets no time pass, because an element is being delivered.
  func stop() { waitingSince.withLock { $0 = nil } }

  /// Begins to wait for another element.
  func move() {
    let now = elapsed()
    waitingSince.withLock { $0 = now }
  }
}
