import Synchronization

/// The driver of a stream's runs, which follows the sequence and publishes its elements (5.21).
///
/// The machine decides in the publisher's turns, and the driver acts between them. Like that of a load, the task of a
/// run holds the driver, which holds the registry instead of the publisher.
final class StreamDriver<Value: Sendable>: Sendable {
  typealias Machine = StreamMachine<Value>
  /// Follows the sequence until it ends, or until `receive` returns false.
  typealias Follow = @Sendable (_ receive: (Value) -> Bool) async throws -> Void

  private let registry: PublisherRegistry
  private let keepingAlive: Duration
  private let retry: RetryPolicy
  private let operation: TimeLimitedOperation
  private let follow: Follow
  private let owner = StreamOwner<Value>()

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
    registry.setOwner(owner)
    registry.findsDeadListeners.store(true, ordering: .relaxed)
    registry.addNotice(for: ObjectIdentifier(owner), countingParts: true) { [weak self] in self?.noteListeners() }
  }

  /// Ends the run, because the manager is gone.
  func end() {
    registry.removeNotice(for: ObjectIdentifier(owner))
    decide { $0.endManager($1, $2) }
  }

  var isRunning: Bool { registry.turn { _ in owner.machine.run != nil } }

  /// How many runs have begun, and the version from which on states are of the active run, or of the next one.
  var runsSoFar: (count: Int, version: UInt64) {
    registry.turn { registry in
      let machine = owner.machine
      return (machine.runCount, machine.run != nil ? registry.newest : registry.newest + 1)
    }
  }

  /// Begins a run if somebody listens and none is active; with a number, only if no more runs than that have begun.
  func beginIfHeard(ifRunsAre runs: Int? = nil) {
    registry.retireDeadListeners()
    decide { $0.beginIfHeard(ifRunsAre: runs, $1, $2) }
  }

  /// Begins or ends a run if that is due, given whether anybody listens.
  ///
  /// Asked in the turn, because a subscription may have replaced another one, and because notices may overtake each
  /// other.
  private func noteListeners() {
    decide { [id = ObjectIdentifier(owner)] machine, state, provenance, registry in
      registry.notice(for: id).map { machine.note(isListenedTo: $0, $1, state, provenance) } ?? Machine.Step()
    }
  }

  @discardableResult
  private func decide(_ body: (inout Machine, LoadState<Value>, Provenance?) -> Machine.Step) -> Bool {
    decide { machine, state, provenance, _ in body(&machine, state, provenance) }
  }

  /// Takes one turn in which the machine decides, and then does what it has decided.
  ///
  /// Returns whether a state was published.
  @discardableResult
  private func decide(
    _ body: (inout Machine, LoadState<Value>, Provenance?, borrowing RegistryState) -> Machine.Step
  ) -> Bool {
    let outcome = registry.decide { (current: Publication<Value>, state, effects) in
      // What the machine drops is released after the turn.
      let former = owner.machine.run
      let step = body(&owner.machine, current.state, current.provenance, state)
      owner.follow(step, &effects)
      registry.findsDeadListeners.store(owner.machine.run == nil, ordering: .relaxed)
      return (step.owner, (step, owner.task, owner.departure, former))
    }
    guard let (step, task, departureTask, _) = outcome else { return false }
    if let run = step.started, let task { start(run, task) }
    if let departure = step.departure, let departureTask { end(after: departure, in: departureTask) }
    return step.owner.published != nil
  }

  /// Ends the run when it has been kept alive for long enough.
  private func end(after departure: Departure, in task: LoadTask) {
    if keepingAlive == .zero {
      endUnlessHeard(since: departure)
    } else if keepingAlive < .unlimited {
      task.start(on: operation.executor) { [self] in
        // If the clock fails, the run ends now. A cancelled pause isn't the last departure any more.
        _ = await operation.pause(for: keepingAlive)
        endUnlessHeard(since: departure)
      }
    }
  }

  /// Ends the run, unless somebody has come whose notice hasn't reached the machine yet.
  private func endUnlessHeard(since departure: Departure) {
    decide { [id = ObjectIdentifier(owner)] machine, state, provenance, registry in
      machine.end(after: departure, lastNotice: registry.notice(for: id)?.number, state, provenance)
    }
  }
}

/// The life of one run.
extension StreamDriver {
  private func start(_ run: RunID, _ task: LoadTask) {
    task.start(on: operation.executor) { [self] in
      let task = TaskToken.current
      registry.turn { _ in owner.follower = task }
      await publishElements(in: run)
      registry.turn { _ in owner.follower = nil }
      decide { $0.endTask(of: run, $1, $2) }
    }
  }

  private func isActive(_ run: RunID) -> Bool { registry.turn { _ in owner.machine.run?.id == run } }

  /// Publishes each element before it asks for the next, and tries again after errors as the policy says.
  ///
  /// Returns when the sequence has ended, when no attempt is left, and when the run is over.
  private func publishElements(in run: RunID) async {
    var failures = 0
    while isActive(run) {
      do {
        return try await follow { element in
          failures = 0
          return decide { machine, _, _ in machine.receive(element, of: run) }
        }
      } catch {
        // An error of a run that is over is no failure.
        guard isActive(run) else { return }
        failures += 1
        let delay = retry.delay(after: failures, error)
        let isPublished = decide { machine, state, provenance in
          machine.fail(error, isLast: delay == nil, of: run, state, provenance)
        }
        // If the clock fails, the error stays and the run ends.
        guard isPublished, let delay, await operation.pause(for: delay) else { return }
        decide { $0.retry(of: run, $1, $2) }
      }
    }
  }
}

/// A stream's machine and its tasks, as the owner of the manager's publisher.
///
/// `@unchecked`: used in the publisher's turns only.
private final class StreamOwner<Value: Sendable>: PublisherOwner, @unchecked Sendable {
  var machine = StreamMachine<Value>()
  /// The task of the active run, which may have to wait before it starts.
  private(set) var task: LoadTask?
  /// The task that waits for another listener.
  private(set) var departure: LoadTask?
  /// The task that follows the sequence; nil between two of them.
  var follower: TaskToken?

  func othersPublish(_ effects: inout Effects) -> [WaiterID] {
    if let run = machine.run { effects.releaseAll(in: run) }
    follow(machine.supersede(), &effects)
    return []
  }

  /// Makes and ends tasks as a step says.
  func follow(_ step: StreamMachine<Value>.Step, _ effects: inout Effects) {
    if machine.run == nil, let ended = task.take() {
      if step.endsRun { effects.call { ended.cancel() } } else { effects.releaseAll(in: ended) }
    } else if machine.run != nil, task == nil {
      task = LoadTask()
    }
    if step.endsDeparture, let ended = departure.take() { effects.call { ended.cancel() } }
    if step.departure != nil {
      if let former = departure { effects.releaseAll(in: former) }
      departure = LoadTask()
    }
  }

  func reasonNotToWait(for source: PublisherID, in task: TaskToken) -> String? {
    guard follower == task, machine.run != nil else { return nil }
    return """
      The stream of \(source) awaits its own manager, which has nothing to return before the stream has gone on: ask in \
      a task of its own, or don't ask
      """
  }
}
