import Synchronization

/// The driver of a stream's runs, which follows the sequence and publishes its elements (5.21).
///
/// The machine decides in the publisher's turns, and the driver acts between them. Like that of a load, the task of a
/// run holds the driver, which holds the registry instead of the publisher.
final class StreamDriver<Value: Sendable>: Sendable {
  typealias Machine = StreamMachine<Value>
  /// Follows the sequence until it ends, or until `receive` returns false.
  typealias Follow = @Sendable (_ receive: (Value) -> Bool) async throws -> Void

  let registry: PublisherRegistry
  private let keepingAlive: Duration
  let options: LoadingOptions<Value>
  let limit: TimeLimit
  let cache: ManagerCache<Value>?
  /// Measures the age of elements; nil if nobody wants to know it, so that the clock isn't read (5.06).
  let freshness: Freshness?
  let follow: Follow
  let owner: StreamOwner<Value>

  /// Creates a driver; the `timeout` of the options is how long an element is waited for.
  init(
    _ publisher: Publisher<Value>, _ options: LoadingOptions<Value>, keepingAlive: Duration, follow: @escaping Follow
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
    registry = publisher.registry
    (self.keepingAlive, self.follow) = (keepingAlive, follow)
    owner = StreamOwner(StreamMachine(endsAtOnce: keepingAlive == .zero))
    limit = TimeLimit(timeout: options.timeout, clock: options.clock, executor: options.executor)
    cache = options.makeCache(for: publisher.id)
    freshness = publisher.freshness ?? (options.cache == nil ? nil : options.makeFreshness())
    // Without the value to begin with, which nobody needs any more once it is replaced.
    var kept = options
    kept.initial = nil
    self.options = kept
    options.publishInitial(at: registry, freshness)
    registry.setOwner(owner)
    registry.findsDeadListeners.store(true, ordering: .relaxed)
    registry.addNotice(for: ObjectIdentifier(owner), countingParts: true) { [weak self] in self?.noteListeners() }
  }

  /// Ends the run, because the manager is gone.
  func endManager() {
    registry.removeNotice(for: ObjectIdentifier(owner))
    decide { $0.endManager($1) }
  }

  var isRunning: Bool {
    registry.turn { turn in owner.machine.isRunning(turn.notice(for: ObjectIdentifier(owner))) }
  }

  /// How many runs have begun, and the version from which on states are of the active run, or of the next one.
  var runsSoFar: (count: Int, version: UInt64) {
    find { machine, newest in (machine.runCount, machine.run != nil ? newest : newest + 1) }
  }

  /// The version with which the last run has begun, which may be over.
  var versionOfLastRun: UInt64 { find { machine, _ in machine.versionOfLastRun } }

  /// Returns what `body` finds in the machine, given the newest version; in a turn.
  func find<Found>(_ body: (Machine, UInt64) -> Found) -> Found {
    decide { _, _ in Machine.Step() }
    return registry.turn { turn in body(owner.machine, turn.newest) }
  }

  /// Begins a run if somebody listens and none is active; with a number, only if no more runs than that have begun.
  ///
  /// With `restarting`, the run takes the place of an active one.
  func beginIfListenedTo(ifRunsAre runs: Int? = nil, restarting: Bool = false) {
    registry.retireDeadListeners()
    decide { $0.beginIfListenedTo(ifRunsAre: runs, restarting: restarting, $1) }
  }

  /// Makes the data stale until the next element (5.15).
  func invalidate() { decide { $0.invalidate($1) } }

  /// Ends the run, resets the publisher, and clears the cache (5.10).
  func logout() { decide { $0.logout($1) } }

  /// Takes the last notice about listeners into account, unless that is done.
  private func noteListeners() { _ = act { $0.noteListeners($1) ?? Machine.Step() } }

  /// Takes one turn in which the machine decides, and then does what it has decided.
  ///
  /// If there is a notice about listeners that the machine doesn't know, it takes another turn for that first: no
  /// decision is based on an outdated notice.
  ///
  /// Returns whether a state was published.
  @discardableResult
  func decide(_ body: (inout Machine, Machine.Present) -> Machine.Step) -> Bool {
    var (isBehind, isPublished) = (false, false)
    repeat {
      isPublished = act { machine, present in
        let noted = present.isInTransform ? nil : machine.noteListeners(present)
        isBehind = noted != nil
        return noted ?? body(&machine, present)
      }
    } while isBehind
    return isPublished
  }

  private func act(_ body: (inout Machine, Machine.Present) -> Machine.Step) -> Bool {
    var (step, former) = (Machine.Step(), Machine.Run?.none)
    var (task, departureTask) = (CancellableTask?.none, CancellableTask?.none)
    var reading: CacheReading<Value>?
    let isPublished = registry.decide { (current: Publication<Value>, turn, effects) in
      // What the machine drops is released after the turn.
      former = owner.machine.run
      let present = Machine.Present(
        publication: current, isInTransform: turn.updating.contains(.current),
        notice: turn.notice(for: ObjectIdentifier(owner)))
      step = body(&owner.machine, present)
      owner.apply(step, &effects)
      if let cache {
        if let operation = cacheOperation(of: step, in: cache) { cache.enqueue(operation, &effects) }
        if let begun = step.begun, begun.readsCache { reading = CacheReading(of: cache, &effects) }
      }
      registry.findsDeadListeners.store(owner.machine.run == nil, ordering: .relaxed)
      (task, departureTask) = (owner.task, owner.departure)
      return step.publisher
    }
    withExtendedLifetime(former) {}
    if reading != nil || step.cacheChange != nil { cache?.queue.run(on: limit.executor) }
    if let (run, _) = step.begun, let task { start(run, task, reading?.wait) }
    if let departure = step.departure, let departureTask { end(after: departure, in: departureTask) }
    return isPublished
  }

  private func cacheOperation(of step: Machine.Step, in cache: ManagerCache<Value>) -> CacheOperationQueue.Operation? {
    switch step.cacheChange {
    case nil: return nil
    case .clear: return cache.clearOperation()
    case .write:
      guard let element = step.publisher.published, let value = element.state.value else { return nil }
      let time = element.provenance?.freshSince
      // With the age that the element has when it is written (5.06).
      return cache.writeOperation(value, hasEdit: false) { [freshness] in
        time.flatMap { freshness?.age(since: $0) } ?? .outdated
      }
    }
  }

  /// Ends the run when it has been kept alive for long enough.
  private func end(after departure: Departure, in task: CancellableTask) {
    guard keepingAlive < .unlimited else { return }
    task.start(on: limit.executor) { [self] in
      // If the clock fails, the run ends now. A cancelled pause isn't the last departure any more.
      _ = await limit.pause(for: keepingAlive)
      decide { $0.end(after: departure, $1) }
    }
  }
}

/// A stream's machine and its tasks, as the owner of the manager's publisher.
///
/// `@unchecked`: used in the publisher's turns only.
final class StreamOwner<Value: Sendable>: PublisherOwner, @unchecked Sendable {
  var machine: StreamMachine<Value>
  /// The task of the active run.
  private(set) var task: CancellableTask?
  /// The task that waits for another listener.
  private(set) var departure: CancellableTask?
  /// How the active run ends, or the last one has ended, or the next one that somebody waits for will.
  private(set) var outcome: RunOutcome?
  /// The task that follows the sequence; nil between two of them.
  var follower: TaskToken?

  init(_ machine: StreamMachine<Value>) { self.machine = machine }

  func othersPublish(_ effects: inout Effects) -> [WaiterID] {
    let waiters = end(&effects) { $0.supersede() }
    if outcome?.end != nil { forgetOutcome(&effects) }
    return waiters
  }

  func publisherFinishes(_ effects: inout Effects) -> [WaiterID] { end(&effects) { $0.endPublisher() } }

  private func end(
    _ effects: inout Effects, _ decide: (inout StreamMachine<Value>) -> StreamMachine<Value>.Step
  ) -> [WaiterID] {
    if let run = machine.run { effects.releaseAll(in: run) }
    let step = decide(&machine)
    apply(step, &effects)
    return step.publisher.answered
  }

  /// The outcome of the active run, or of the next one.
  func outcomeToCome(_ effects: inout Effects) -> RunOutcome {
    if outcome?.end != nil { forgetOutcome(&effects) }
    let coming = outcome ?? RunOutcome()
    outcome = coming
    return coming
  }

  private func forgetOutcome(_ effects: inout Effects) {
    if let forgotten = outcome.take() { effects.releaseAll(in: forgotten) }
  }

  var progress: OwnerProgress? { OwnerProgress(isLoading: machine.run != nil) }

  /// Makes and ends tasks as a step says.
  func apply(_ step: StreamMachine<Value>.Step, _ effects: inout Effects) {
    if let end = step.end, let ended = task.take() {
      if case .cancelled = end { effects.call { ended.cancel() } } else { effects.releaseAll(in: ended) }
      // Unless another run goes on in its place.
      if step.begun == nil { outcome?.end = end }
    }
    if step.begun != nil {
      task = CancellableTask()
      _ = outcomeToCome(&effects)
    }
    if case .clear = step.cacheChange, outcome?.end != nil { forgetOutcome(&effects) }
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

/// How a run has ended, for the tasks that wait for it; `@unchecked`: used in the publisher's turns only.
final class RunOutcome: @unchecked Sendable {
  /// Nil while the run is active, or goes on in another one.
  var end: RunEnd?
}
