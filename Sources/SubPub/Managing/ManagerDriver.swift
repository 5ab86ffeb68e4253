import Synchronization

/// The driver of a manager: it asks the machine in the publisher's turns, and acts between them.
///
/// The task of a run holds the driver, so the driver holds the registry instead of the publisher. So the publisher ends
/// when its users have released it (3.06), and not only when a cancelled run has noticed its cancellation.
final class ManagerDriver<Value, Machine: ManagerMachine<Value>>: Sendable {
  let registry: PublisherRegistry
  let limit: TimeLimit
  let cache: ManagerCache<Value>?
  let options: LoadingOptions<Value>
  let owner: ManagerOwner<Machine>
  let tasks: Tasks
  /// Measures ages; nil until somebody wants to know one, so that the clock isn't read (5.06).
  private let measuring = AtomicLazyReference<Freshness>()

  /// What runs between the turns.
  struct Tasks: Sendable {
    /// Runs what a turn has begun.
    let start: @Sendable (ManagerDriver, Run<Value>) -> Void
    /// Ends a run that nobody listens to any more, in a task, when it has been kept alive for long enough.
    var depart: @Sendable (ManagerDriver, CancellableTask, Departure) -> Void = { _, _, _ in }
  }

  init(
    _ publisher: Publisher<Value>, _ options: LoadingOptions<Value>, _ machine: Machine, measures: Bool = false,
    _ tasks: Tasks
  ) {
    registry = publisher.registry
    let measures = measures || options.cache != nil
    if let made = publisher.freshness ?? (measures ? options.makeFreshness() : nil) { _ = measuring.storeIfNil(made) }
    limit = TimeLimit(timeout: options.timeout, clock: options.clock, executor: options.executor)
    cache = options.makeCache(for: publisher.id)
    owner = ManagerOwner(machine)
    // Without the value to begin with, which nobody needs any more once it is replaced.
    var kept = options
    kept.initial = nil
    self.options = kept
    self.tasks = tasks
    options.publishInitial(at: registry, freshness)
    registry.setOwner(owner)
  }
}

/// Turns.
extension ManagerDriver {
  typealias Present = ManagerPresent<Value>
  typealias Step = ManagerStep<Value>

  /// Takes one turn in which the machine decides, and then carries out the decision.
  ///
  /// If there is a notice about listeners that the machine doesn't know, it takes another turn for that first: no
  /// decision is based on an outdated notice.
  @inline(__always)
  func decide(_ body: (inout Machine, Present) -> Step) {
    decideInTurn { machine, present, _, _ in body(&machine, present) }
  }

  /// Does the same, and returns the active run.
  @discardableResult @inline(__always)
  func decideInTurn(_ body: (inout Machine, Present, inout RegistryState, inout Effects) -> Step) -> Run<Value>? {
    while true {
      var isBehind = false
      let run = act { machine, present, turn, effects in
        let noted = !Machine.followsListeners || present.isInTransform ? nil : machine.noteListeners(present)
        isBehind = noted != nil
        return noted ?? body(&machine, present, &turn, &effects)
      }
      if !isBehind { return run }
    }
  }

  /// Takes the last notice about listeners into account, unless that is done.
  func noteListeners() { _ = act { machine, present, _, _ in machine.noteListeners(present) ?? Step() } }

  @inline(__always)
  private func act(
    _ body: (inout Machine, Present, inout RegistryState, inout Effects) -> Step
  ) -> Run<Value>? {
    // Keeps what the machine drops until the turn has ended.
    var former: ForeignValues<Value>?
    var (run, begun, departure) = (Run<Value>?.none, Run<Value>?.none, (task: CancellableTask, Departure)?.none)
    var usesCache = false
    registry.decide { (current: Publication<Value>, turn, effects) in
      let present = turn.present(current, for: owner)
      let step = owner.decide(keeping: &former) { body(&$0, present, &turn, &effects) }
      var reading: CacheReading<Value>?
      if let cache, step.begun?.readsCache ?? false { reading = cache.enqueueRead(&effects) }
      owner.apply(step, step.publisher.published ?? current, reading, &effects)
      if let cache, let operation = operation(for: step, in: cache) { cache.enqueue(operation, &effects) }
      run = owner.run
      if step.begun != nil { begun = run }
      usesCache = step.cacheChange != nil || begun?.reading != nil
      if let new = step.departure, let task = owner.departure { departure = (task, new) }
      if Machine.followsListeners { registry.findsDeadListeners.store(run == nil, ordering: .relaxed) }
      return step.publisher
    }
    withExtendedLifetime(former) {}
    if usesCache { cache?.queue.run(on: limit.executor) }
    if let begun { tasks.start(self, begun) }
    if let departure { tasks.depart(self, departure.task, departure.1) }
    return run
  }

  /// Returns what `body` finds in the machine and the present state.
  func find<Found>(_ body: (Machine, Present) -> Found) -> Found {
    registry.turn { turn in body(owner.machine, turn.present(turn.current(at: registry.source), for: owner)) }
  }

  private func operation(for step: Step, in cache: ManagerCache<Value>) -> CacheOperationQueue.Operation? {
    switch step.cacheChange {
    case nil: return nil
    case .clear: return cache.clearOperation()
    case .write(let data, let time, let hasNews):
      // With the age that the value has when it is written (5.06).
      return cache.writeOperation(data.value, hasNews: hasNews) { [registry, owner, freshness] in
        guard let time, let freshness,
          !registry.turn({ _ in owner.machine.stack.isCacheOutdated })
        else { return .outdated }
        return freshness.age(since: time)
      }
    }
  }
}

extension RegistryState {
  /// What a machine has to know of a turn.
  fileprivate func present<Machine>(
    _ current: Publication<Machine.Value>, for owner: ManagerOwner<Machine>
  ) -> Machine.Present {
    var present = Machine.Present(publication: current, validity: validity)
    if Machine.followsListeners {
      present.isInTransform = isInTransform
      present.notice = notice(for: ObjectIdentifier(owner))
    }
    return present
  }
}

/// What all managers do.
extension ManagerDriver {
  /// Makes the data stale (5.15).
  func invalidate() { decide { $0.invalidate($1) } }

  /// Resets the publisher and clears the cache (5.10).
  func logout() { decide { $0.logout($1) } }

  /// Ends everything, because the manager is gone (5.09).
  func endManager() { decide { $0.endManager($1) } }

  /// Waits until the cache has done everything that was requested so far.
  func waitForCache() async { await cache?.queue.drain() }

  /// Publishes the value in the cache, if there is one, which may end a load, and shows that the run goes on.
  func publishCached(of run: Run<Value>) async {
    guard let cached = await cachedValue(of: run) else { return }
    let time = freshSince(age: cached.age)
    await decidePrepared { machine, prepared, present in
      machine.find(cached, freshSince: time, of: run.id, prepared, present)
    }
    decide { $0.showLoading(of: run.id, $1) }
  }

  /// Waits for the value in the cache with which a run begins; nil if there is none.
  private func cachedValue(of run: Run<Value>) async -> Cached<Value>? {
    guard let reading = run.reading else { return nil }
    switch await limit.run({ try await reading.wait()?.get() }) {
    case .success(let cached): return cached
    case .failure(let error):
      // The cache has reported its own failures.
      if !(error is CacheFailure) { cache?.report(.read, error) }
      return nil
    case nil: return nil
    }
  }

  /// Waits for an event; if this task is cancelled, lets the machine know, and goes on.
  func wait(for waiter: WaiterID, onCancel leave: @Sendable (inout Machine, Present) -> Step) async {
    await registry.wait(for: waiter) {
      decide { leave(&$0, $1) }
      // The last waiter continues when this thread has delivered the state from before the load.
      registry.perform { turn, effects in effects.resume(turn.waiters.remove(waiter)) }
    }
  }
}

/// Freshness.
extension ManagerDriver {
  var freshness: Freshness? { measuring.load() }

  func measureAges() { if freshness == nil { _ = measuring.storeIfNil(options.makeFreshness()) } }

  /// The time at which data that arrives now with this age was new; nil if nobody wants to know.
  func freshSince(age: Duration = .zero) -> Duration? { freshness?.start(age: age) }
}
