/// The life of one run of a stream: what its task does.
struct StreamRun<Value: Sendable>: Sendable {
  private let driver: StreamDriver<Value>
  private let follow: StreamMachine<Value>.Follow

  private var registry: PublisherRegistry { driver.registry }
  private var owner: ManagerOwner<StreamMachine<Value>> { driver.owner }

  static func start(_ run: Run<Value>, _ follow: @escaping StreamMachine<Value>.Follow, _ driver: StreamDriver<Value>) {
    let life = StreamRun(driver: driver, follow: follow)
    run.task.start(on: driver.limit.executor) {
      await driver.publishCached(of: run)
      var attempt = run.id
      let error = await life.publishElements(in: &attempt)
      driver.decide { $0.endTask(of: attempt, error, $1) }
    }
  }

  /// Follows the sequence, and tries again after errors as the policy says; `attempt` becomes the last one.
  ///
  /// Returns when the sequence has ended, when no attempt is left, and when the run is over: nil, or the last error
  /// that was published.
  private func publishElements(in attempt: inout RunID) async -> (any Error)? {
    while failures(in: attempt) != nil {
      guard case .failure(let error) = await iterate(in: attempt) else { return nil }
      // An error of a run that is over is no failure.
      guard let failures = failures(in: attempt) else { return nil }
      let delay = driver.options.retry.delay(after: failures + 1, error)
      let failed = attempt
      driver.decide { $0.fail(error, isLast: delay == nil, of: failed, $1) }
      attempt.attempt += 1
      // If the clock fails, the error stays and the run ends.
      guard let delay, await driver.limit.pause(for: delay) else { return error }
      let next = attempt
      driver.decide { $0.showLoading(of: next, $1) }
    }
    return nil
  }

  /// The errors since the last element; nil if the attempt is over.
  private func failures(in attempt: RunID) -> Int? {
    registry.turn { _ in owner.machine.run?.id == attempt ? owner.machine.run?.failures : nil }
  }

  /// Makes one attempt, which also fails if no element comes for too long; nil if it is over.
  private func iterate(in attempt: RunID) async -> Result<Void, any Error>? {
    guard let timeout = driver.options.timeout, timeout < .unlimited else {
      return await driver.limit.run { try await iterate(in: attempt, nil) }
    }
    let deadline = ElementDeadline(after: timeout, driver.options.clock)
    return await driver.limit.run({ try await iterate(in: attempt, deadline) }, while: { deadline.rest })
  }

  /// Publishes each element before it asks for the next.
  ///
  /// Two sequences never exist at once: it begins when the one before is gone, even if that ignores its cancellation.
  private func iterate(in attempt: RunID, _ deadline: ElementDeadline?) async throws {
    guard await beginIterating(in: attempt) else { return }
    defer {
      registry.perform { turn, effects in
        owner.follower = nil
        if let next = owner.machine.endIterating() { effects.resume(turn.waiters.remove(next)) }
      }
    }
    try await follow { element in
      deadline?.stop()
      defer { deadline?.move() }
      let time = driver.freshSince()
      var isReceived = false
      await driver.decidePrepared { machine, prepared, present in
        isReceived = machine.run?.id == attempt
        return machine.receive(element, at: time, of: attempt, prepared, present)
      }
      return isReceived
    }
  }

  /// Waits until no sequence exists; returns false if the attempt is over by then.
  private func beginIterating(in attempt: RunID) async -> Bool {
    let task = TaskToken.current
    while !Task.isCancelled {
      let (begins, waiter) = registry.turn { turn -> (Bool, WaiterID?) in
        guard owner.machine.run?.id == attempt else { return (false, nil) }
        let waiter = owner.machine.beginIterating(orWait: turn.waiters.add(missing: 1))
        if waiter == nil { owner.follower = task }
        return (waiter == nil, waiter)
      }
      guard let waiter else { return begins }
      await registry.wait(for: waiter) {
        registry.perform { turn, effects in effects.resume(turn.waiters.remove(waiter)) }
      }
    }
    return false
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
