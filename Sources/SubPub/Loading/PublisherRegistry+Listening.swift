import Synchronization

/// The turns of a stream's driver.
extension PublisherRegistry {
  nonisolated func watchListeners(by watcher: any ListenerWatcher) {
    isWatched.store(true, ordering: .relaxed)
    turn { $0.listeners = ListenerWatch(watcher) }
  }

  nonisolated func endListening() { loadTurn { registry, effects in registry.endListening(&effects) } }

  /// Whether a run is active.
  nonisolated var isRunning: Bool { turn { $0.loading.active != nil } }

  /// How many runs have begun, and the version from which on states are of the active run, or of the next one.
  nonisolated var runsSoFar: (count: Int, version: UInt64) {
    turn { ($0.listeners?.runs ?? 0, $0.loading.active != nil ? $0.newest : $0.newest + 1) }
  }

  nonisolated func stateBeforeRun(_ reason: RunReason) -> (any BoxedPublication)? {
    let found = turn { $0.stateBeforeRun(reason) }
    if found != nil { stopIfInTransform() }
    return found
  }

  /// Begins a run, and delivers its first state.
  ///
  /// Returns whether the caller has to start the run's task; nil if something has changed in the meantime.
  nonisolated func beginRun(
    _ run: LoadTask, publishing state: any BoxedPublication, before: any BoxedPublication, ifCurrentIs old: AnyObject,
    _ reason: RunReason
  ) -> Bool? {
    var effects = Effects()
    let action = turn {
      $0.beginRun(run, publishing: state, before: before, ifCurrentIs: old, reason, &effects)
    }
    guard case .began(let loading, let startsTask) = action else { return nil }
    perform(loading, effects)
    return startsTask
  }

  /// Publishes a state of a run; returns false if the run has ended.
  nonisolated func publish(
    _ state: any BoxedPublication, within run: LoadTask, before: (any BoxedPublication)?
  ) -> Bool {
    loadTurn { registry, effects in registry.publish(state, within: run, before: before, &effects) }
  }

  /// Publishes the last state of a run, and ends it in the same step.
  nonisolated func end(_ run: LoadTask, with state: any BoxedPublication) {
    loadTurn { registry, effects in registry.end(run, with: state, &effects) }
  }

  nonisolated func endRun(after departure: LoadTask) {
    loadTurn { registry, effects in registry.endRun(after: departure, &effects) }
  }

  /// Records that the current task follows the sequence.
  nonisolated func beginTask() {
    let task = TaskToken.current
    turn { $0.listeners?.task = task }
  }

  /// Stops the program if the current task follows the sequence, and so would wait for itself.
  ///
  /// Called when it is about to wait for a state. A cancelled task doesn't wait.
  nonisolated func stopIfAwaitedByStream() {
    guard isWatched.load(ordering: .relaxed), !Task.isCancelled, let task = TaskToken.current else { return }
    guard turn({ $0.listeners?.task == task && $0.loading.active != nil }) else { return }
    stopForMisuse(
      """
      The stream of \(source) awaits its own manager, which has nothing to return before the stream has gone on: ask in \
      a task of its own, or don't ask
      """)
  }

  /// Records that the task of a run has ended, and ends the run if it is still active.
  ///
  /// Returns the run that was waiting for that, if any.
  nonisolated func endTask(of run: LoadTask) -> LoadTask? {
    var effects = Effects()
    let (action, next) = turn { $0.endTask(of: run, &effects) }
    perform(action, effects)
    return next
  }

  /// Retires dead subscribers up to the first living one, unless a run is active.
  ///
  /// Called before somebody joins: a subscriber that has died unnoticed is no listener, so whoever comes next may be
  /// the first.
  @inline(__always)
  nonisolated func retireDeadListeners() {
    if isWatched.load(ordering: .relaxed) { retireDeadListenersNow() }
  }

  @inline(never)
  private nonisolated func retireDeadListenersNow() {
    while let first = turn({ $0.firstIdleListener }), !first.isAlive { retire([first]) }
  }
}
