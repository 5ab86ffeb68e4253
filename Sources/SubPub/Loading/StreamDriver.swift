/// The driver of a stream's runs, which follows the sequence and publishes its elements (5.21).
///
/// The registry's turns decide when a run begins and ends, and whether an element still counts. The driver acts between
/// the turns. Like that of a load, the task of a run holds the driver, which holds the registry instead of the
/// publisher.
final class StreamDriver<Value: Sendable>: Sendable {
  /// Follows the sequence until it ends, or until `receive` returns false.
  typealias Follow = @Sendable (_ receive: (Value) -> Bool) async throws -> Void

  private let registry: PublisherRegistry
  private let keepingAlive: Duration
  private let retry: RetryPolicy
  private let operation: TimeLimitedOperation
  private let follow: Follow

  init(
    _ registry: PublisherRegistry, keepingAlive: Duration, retry: RetryPolicy, clock: any Clock<Duration>,
    executor: (any TaskExecutor)?, follow: @escaping Follow
  ) {
    guard keepingAlive >= .zero else {
      stopForMisuse(
        "keepingAlive is \(keepingAlive), but a stream can't end before its last listener is gone: give zero or more")
    }
    (self.registry, self.keepingAlive, self.retry, self.follow) = (registry, keepingAlive, retry, follow)
    operation = TimeLimitedOperation(timeout: nil, clock: clock, executor: executor)
    registry.watchListeners(by: self)
  }

  /// Ends the run, because the manager is gone.
  func end() { registry.endListening() }

  var isRunning: Bool { registry.isRunning }

  /// Stops the program if the current task follows the sequence, and so would wait for itself.
  func stopIfAwaitedByStream() { registry.stopIfAwaitedByStream() }

  /// How many runs have begun, and the version from which on states are of the active run, or of the next one.
  var runsSoFar: (count: Int, version: UInt64) { registry.runsSoFar }

  /// Begins a run if somebody listens and none is active; with a number, only if no more runs than that have begun.
  func beginIfHeard(ifRunsAre runs: Int? = nil) {
    registry.retireDeadListeners()
    begin(.request(ifRunsAre: runs))
  }

  private func begin(_ reason: RunReason) {
    while let found = registry.stateBeforeRun(reason) {
      let (old, run) = (Publication<Value>.from(found), LoadTask())
      let startsTask = registry.beginRun(
        run, publishing: publication(.loading(previous: old.state.value), old.provenance),
        before: publication(old.state, old.provenance), ifCurrentIs: old, reason)
      guard let startsTask else { continue }
      if startsTask { start(run) }
      return
    }
  }
}

extension StreamDriver: ListenerWatcher {
  func firstListenerArrived() { begin(.firstListener) }

  func lastListenerLeft(_ departure: LoadTask) {
    if keepingAlive == .zero { return registry.endRun(after: departure) }
    if keepingAlive >= .unlimited { return }
    departure.start(on: operation.executor) { [self] in
      // If the clock fails, the run ends now. A cancelled pause isn't the last departure any more.
      _ = await operation.pause(for: keepingAlive)
      registry.endRun(after: departure)
    }
  }
}

/// The life of one run.
extension StreamDriver {
  private func start(_ run: LoadTask) {
    run.start(on: operation.executor) { [self] in
      registry.beginTask()
      await publishElements(in: run)
      if let next = registry.endTask(of: run) { start(next) }
    }
  }

  /// Publishes each element before it asks for the next, and tries again after errors as the policy says.
  ///
  /// Returns when the sequence has ended, when no attempt is left, and when the run is over.
  private func publishElements(in run: LoadTask) async {
    var failures = 0
    while registry.isActive(run) {
      do {
        return try await follow { value in
          failures = 0
          return registry.publish(publication(.loaded(value), .element), within: run, before: nil)
        }
      } catch {
        // An error of a run that is over is no failure.
        guard registry.isActive(run) else { return }
        failures += 1
        guard await publish(error, after: failures, in: run) else { return }
      }
    }
  }

  /// Publishes an error and, after the delay of the retry policy, `loading`; returns whether to try again.
  private func publish(_ error: any Error, after failures: Int, in run: LoadTask) async -> Bool {
    let delay = retry.delay(after: failures, error)
    // Nothing else changes the data while the run is active.
    guard let old = registry.present.map({ Publication<Value>.from($0.current) }) else { return false }
    let value = old.state.value
    func failed() -> Publication<Value> { publication(.error(error, previous: value), old.provenance) }
    guard let delay else {
      registry.end(run, with: failed())
      return false
    }
    guard registry.publish(failed(), within: run, before: nil) else { return false }
    // If the clock fails, the error stays and the run ends.
    guard await operation.pause(for: delay) else { return false }
    let loading = publication(.loading(previous: value), old.provenance)
    return registry.publish(loading, within: run, before: failed())
  }

  private func publication(_ state: LoadState<Value>, _ provenance: Provenance?) -> Publication<Value> {
    Publication(state, source: registry.source, provenance: provenance)
  }
}

extension Provenance {
  /// An element of a stream, whose age nobody measures.
  fileprivate static var element: Provenance { Provenance(.loaded, freshSince: nil) }
}
