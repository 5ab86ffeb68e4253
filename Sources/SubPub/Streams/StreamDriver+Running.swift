/// The life of one run.
extension StreamDriver {
  func start(_ run: RunID, _ task: CancellableTask, _ reading: CacheReading<Value>.Wait?) {
    task.start(on: limit.executor) { [self] in
      if let reading { await publishCached(reading, in: run) }
      var run = run
      let error = await publishElements(in: &run)
      decide { $0.endTask(of: run, error, $1) }
    }
  }

  /// Publishes the value in the cache, if there is one, and shows that the stream goes on.
  private func publishCached(_ reading: @escaping CacheReading<Value>.Wait, in run: RunID) async {
    switch await limit.run(reading) {
    case .success(let cached?):
      let time = freshness?.start(age: cached.age)
      if decide({ $0.find(cached, freshSince: time, of: run, $1) }) { decide { $0.showLoading(of: run, $1) } }
    case .failure(let error):
      // The cache has reported its own failures.
      if !(error is CacheFailure) { cache?.report(.read, error) }
    case .success(nil), nil: break
    }
  }

  /// Follows the sequence, and tries again after errors as the policy says; `run` becomes the last attempt.
  ///
  /// Returns when the sequence has ended, when no attempt is left, and when the run is over: nil, or the last error
  /// that was published.
  private func publishElements(in run: inout RunID) async -> (any Error)? {
    while failures(in: run) != nil {
      guard case .failure(let error) = await iterate(in: run) else { return nil }
      // An error of a run that is over is no failure.
      guard let failures = failures(in: run) else { return nil }
      let delay = options.retry.delay(after: failures + 1, error)
      guard decide({ $0.fail(error, isLast: delay == nil, of: run, $1) }) else { return nil }
      run.attempt += 1
      // If the clock fails, the error stays and the run ends.
      guard let delay, await limit.pause(for: delay) else { return error }
      decide { $0.showLoading(of: run, $1) }
    }
    return nil
  }

  /// The errors since the last element; nil if the run is over.
  private func failures(in run: RunID) -> Int? {
    registry.turn { _ in owner.machine.run?.id == run ? owner.machine.run?.failures : nil }
  }

  /// Makes one attempt, which also fails if no element comes for too long; nil if the run is over.
  private func iterate(in run: RunID) async -> Result<Void, any Error>? {
    guard let timeout = options.timeout, timeout < .unlimited else {
      return await limit.run { [self] in try await iterate(in: run, nil) }
    }
    let deadline = ElementDeadline(after: timeout, options.clock)
    return await limit.run({ [self] in try await iterate(in: run, deadline) }, while: { deadline.rest })
  }

  /// Publishes each element before it asks for the next.
  ///
  /// Two sequences never exist at once: it begins when the one before is gone, even if that ignores its cancellation.
  private func iterate(in run: RunID, _ deadline: ElementDeadline?) async throws {
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
      let time = freshness?.start()
      return decide { $0.receive(element, at: time, of: run, $1) }
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
extension StreamDriver {
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
    decide { _, _ in Machine.Step() }
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
