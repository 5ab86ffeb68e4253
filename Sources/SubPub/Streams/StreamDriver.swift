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
  private let limit: TimeLimit
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
    limit = TimeLimit(timeout: nil, clock: clock, executor: executor)
    registry.setOwner(owner)
    registry.findsDeadListeners.store(true, ordering: .relaxed)
    registry.addNotice(for: ObjectIdentifier(owner), countingParts: true) { [weak self] in
      self?.decide { $0.noteListeners($1) }
    }
  }

  /// Ends the run, because the manager is gone.
  func endManager() {
    registry.removeNotice(for: ObjectIdentifier(owner))
    decide { $0.endManager($1) }
  }

  var isRunning: Bool { registry.turn { _ in owner.machine.run != nil } }

  /// How many runs have begun, and the version from which on states are of the active run, or of the next one.
  var runsSoFar: (count: Int, version: UInt64) {
    registry.turn { turn in
      let machine = owner.machine
      return (machine.runCount, machine.run != nil ? turn.newest : turn.newest + 1)
    }
  }

  /// Begins a run if somebody listens and none is active; with a number, only if no more runs than that have begun.
  func beginIfListenedTo(ifRunsAre runs: Int? = nil) {
    registry.retireDeadListeners()
    decide { $0.beginIfListenedTo(ifRunsAre: runs, $1) }
  }

  /// Takes one turn in which the machine decides, and then does what it has decided.
  ///
  /// Returns whether a state was published.
  @discardableResult
  private func decide(_ body: (inout Machine, Machine.Present) -> Machine.Step) -> Bool {
    var (step, former) = (Machine.Step(), Machine.Run?.none)
    var (task, departureTask) = (CancellableTask?.none, CancellableTask?.none)
    let isDecided = registry.decide { (current: Publication<Value>, turn, effects) in
      // What the machine drops is released after the turn.
      former = owner.machine.run
      let present = Machine.Present(publication: current, notice: turn.notice(for: ObjectIdentifier(owner)))
      step = body(&owner.machine, present)
      owner.apply(step, &effects)
      registry.findsDeadListeners.store(owner.machine.run == nil, ordering: .relaxed)
      (task, departureTask) = (owner.task, owner.departure)
      return step.publisher
    }
    withExtendedLifetime(former) {}
    guard isDecided else { return false }
    if let run = step.started, let task { start(run, task) }
    if let departure = step.departure, let departureTask { end(after: departure, in: departureTask) }
    return step.publisher.published != nil
  }

  /// Ends the run when it has been kept alive for long enough.
  private func end(after departure: Departure, in task: CancellableTask) {
    if keepingAlive == .zero {
      decide { $0.end(after: departure, $1) }
    } else if keepingAlive < .unlimited {
      task.start(on: limit.executor) { [self] in
        // If the clock fails, the run ends now. A cancelled pause isn't the last departure any more.
        _ = await limit.pause(for: keepingAlive)
        decide { $0.end(after: departure, $1) }
      }
    }
  }
}

/// The life of one run.
extension StreamDriver {
  private func start(_ run: RunID, _ task: CancellableTask) {
    task.start(on: limit.executor) { [self] in
      let task = TaskToken.current
      registry.turn { _ in owner.follower = task }
      await publishElements(in: run)
      registry.turn { _ in owner.follower = nil }
      decide { $0.endTask(of: run, $1) }
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
          return decide { $0.receive(element, of: run, $1) }
        }
      } catch {
        // An error of a run that is over is no failure.
        guard isActive(run) else { return }
        failures += 1
        let delay = retry.delay(after: failures, error)
        let isPublished = decide { $0.fail(error, isLast: delay == nil, of: run, $1) }
        // If the clock fails, the error stays and the run ends.
        guard isPublished, let delay, await limit.pause(for: delay) else { return }
        decide { $0.retry(of: run, $1) }
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
  private(set) var task: CancellableTask?
  /// The task that waits for another listener.
  private(set) var departure: CancellableTask?
  /// The task that follows the sequence; nil between two of them.
  var follower: TaskToken?

  func othersPublish(_ effects: inout Effects) -> [WaiterID] {
    if let run = machine.run { effects.releaseAll(in: run) }
    apply(machine.supersede(), &effects)
    return []
  }

  var progress: OwnerProgress? { OwnerProgress(isLoading: machine.run != nil) }

  func publisherFinishes(_ effects: inout Effects) -> [WaiterID] { othersPublish(&effects) }

  /// Makes and ends tasks as a step says.
  func apply(_ step: StreamMachine<Value>.Step, _ effects: inout Effects) {
    if machine.run == nil, let ended = task.take() {
      if step.endsRun { effects.call { ended.cancel() } } else { effects.releaseAll(in: ended) }
    } else if machine.run != nil, task == nil {
      task = CancellableTask()
    }
    if step.departure != nil || machine.departure == nil, let ended = departure.take() {
      effects.call { ended.cancel() }
    }
    if step.departure != nil { departure = CancellableTask() }
  }

  func reasonNotToWait(for source: PublisherID, in task: TaskToken) -> String? {
    guard follower == task, machine.run != nil else { return nil }
    return """
      The stream of \(source) awaits its own manager, which has nothing to return before the stream has gone on: ask in \
      a task of its own, or don't ask
      """
  }
}
