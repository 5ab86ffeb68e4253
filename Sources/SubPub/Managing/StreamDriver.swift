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
        StreamRun.start(run, follow, driver)
      } depart: { driver, task, departure in
        driver.end(after: departure, in: task, keepingAlive: keepingAlive)
      })
    registry.findsDeadListeners.store(true, ordering: .relaxed)
    registry.addNotice(for: ObjectIdentifier(owner), countingParts: true) { [weak self] in self?.noteListeners() }
  }

  /// Ends the run when it has been kept alive for long enough without listeners.
  private func end(after departure: Departure, in task: CancellableTask, keepingAlive: Duration) {
    guard keepingAlive < .unlimited else { return }
    task.start(on: limit.executor) { [self] in
      // If the clock fails, the run ends now. A cancelled pause isn't the last departure any more.
      _ = await limit.pause(for: keepingAlive)
      decide { $0.end(after: departure, $1) }
    }
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
    // So that the machine knows the last notice.
    decide { _, _ in Step() }
    return find { machine, present in (machine.runCount, present.publication.version + (machine.run == nil ? 1 : 0)) }
  }

  /// The version with which the last run has begun, which may be over.
  var versionOfLastRun: UInt64 {
    decide { _, _ in Step() }
    return find { machine, _ in machine.versionOfLastRun }
  }

  /// Begins a run if somebody listens and none is active; with a number, only if no more runs than that have begun.
  ///
  /// With `restarting`, the run takes the place of an active one.
  func beginIfListenedTo(ifRunsAre runs: Int? = nil, restarting: Bool = false) {
    registry.retireDeadListeners()
    decide { $0.beginIfListenedTo(ifRunsAre: runs, restarting: restarting, $1) }
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
      // Not by a copy of the machine, which would have all waiters copied.
      let runs = owner.machine.run == nil ? owner.machine.runCount : nil
      if runs != nil, let end = owner.outcome?.end, end.isByItself { return (end, nil) }
      guard waits, !owner.machine.isOver else { return (nil, nil) }
      let waiter = turn.waiters.add(missing: 1)
      owner.machine.endWaiters.insert(waiter)
      let outcome = owner.outcomeToCome(&effects)
      return (nil, EndWait(waiter: waiter, outcome: outcome, runs: runs))
    }
  }

  /// Returns how the run has ended; nil if the task is cancelled, or the publisher has ended before the run has begun.
  func end(of wait: EndWait) async -> RunEnd? {
    registry.stopIfAwaitedByOwner()
    await registry.wait(for: wait.waiter) {
      registry.perform { turn, effects in
        _ = owner.machine.endWaiters.remove(wait.waiter)
        effects.resume(turn.waiters.remove(wait.waiter))
      }
    }
    return registry.turn { _ in wait.outcome.end }
  }
}
