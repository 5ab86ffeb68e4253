/// The driver of a manager's loads and edits: it asks the machine in the publisher's turns, and acts between them.
///
/// The task of a load holds the driver, so the driver holds the registry instead of the publisher. The publisher ends
/// when its users have released it (3.06), rather than when a cancelled load has noticed its cancellation.
final class LoadDriver<Value: Sendable>: Sendable {
  typealias Machine = LoadMachine<Value>

  /// Loads the value, or one more page; called once for each attempt.
  ///
  /// It receives the current data as a closure, so that a loader that doesn't call it doesn't keep the data alive.
  typealias Loader = @Sendable (LoadKind, _ previous: @Sendable () -> Value?) async throws -> Value

  let registry: PublisherRegistry
  let limit: TimeLimit
  let cache: ManagerCache<Value>?
  let options: LoadingOptions<Value>
  let loader: Loader
  private let owner: LoadOwner<Value>
  /// Measures ages; nil until somebody wants to know one, so that the clock isn't read (5.06).
  private let measuring: Locked<Freshness?>

  init(_ publisher: Publisher<Value>, _ options: LoadingOptions<Value>, _ loader: @escaping Loader) {
    guard options.errorStaleAfter >= .zero else {
      stopForMisuse(
        "errorStaleAfter is \(options.errorStaleAfter), but no error is younger than that: give zero or more")
    }
    registry = publisher.registry
    let isMeasuring = options.errorStaleAfter > .zero || options.cache != nil
    measuring = Locked(publisher.freshness ?? (isMeasuring ? options.makeFreshness() : nil))
    limit = TimeLimit(timeout: options.timeout, clock: options.clock, executor: options.executor)
    cache = options.cache.map { ManagerCache($0, failed: options.cacheFailed) }
    owner = LoadOwner(
      Machine.Rules(
        staleAfter: options.staleAfter, errorStaleAfter: options.errorStaleAfter,
        isQuiet: options.refreshes == .quiet))
    self.options = options
    self.loader = loader
    registry.setOwner(owner)
  }
}

/// Turns.
extension LoadDriver {
  /// Takes one turn in which the machine decides, and then does what it has decided.
  ///
  /// Returns nil after the publisher's end.
  @discardableResult
  func decide<Answer>(
    _ body: (inout Machine, Machine.Present) -> (LoadStep<Value>, Answer)
  ) -> Answer? {
    decide { machine, present, _, _ in body(&machine, present) }?.answer
  }

  private func decide<Answer>(
    _ body: (inout Machine, Machine.Present, inout Waiters, inout Effects) -> (LoadStep<Value>, Answer)
  ) -> (answer: Answer, load: Load<Value>?)? {
    let outcome = registry.decide { (current: Publication<Value>, turn, effects) in
      let present = Machine.Present(state: current.state, provenance: current.provenance, validity: turn.validity)
      let former = owner.machine.foreignValues
      let (step, answer) = body(&owner.machine, present, &turn.waiters, &effects)
      owner.apply(step, step.publisher.published?.state ?? present.state, &effects)
      let change = step.cacheChange.flatMap(operation(for:))
      if let change { cache?.enqueue(change, &effects) }
      let begun = step.begun.map { id, kind, readsCache in
        let reading = readsCache ? cache.map { CacheReading(of: $0, &effects) } : nil
        return Load(id, kind, reading: reading?.wait)
      }
      if let begun { owner.load = begun }
      return (
        step.publisher,
        Outcome(
          answer: answer, load: owner.load, begun: begun, usesCache: change != nil || begun?.reading != nil,
          former: (present, former))
      )
    }
    guard let outcome else { return nil }
    if outcome.usesCache { cache?.queue.run(on: limit.executor) }
    if let begun = outcome.begun { start(begun) }
    return (outcome.answer, outcome.load)
  }

  /// What is left to be done after a turn, apart from what the registry does.
  private struct Outcome<Answer> {
    let answer: Answer
    /// The active load.
    let load: Load<Value>?
    /// The same if it has begun in this turn.
    let begun: Load<Value>?
    let usesCache: Bool
    /// What the machine may have dropped, which must not die in the turn.
    let former: (Machine.Present, Machine.ForeignValues)
  }

  /// Takes a turn in which the machine may ask for a preparation, and after that another one, until it needs none.
  ///
  /// Returns false after the publisher's end.
  @discardableResult
  func decidePrepared(
    _ body: (inout Machine, Prepared<Value>?, Machine.Present) -> (LoadStep<Value>, Preparation<Value>?)
  ) -> Bool {
    var prepared: Prepared<Value>?
    while let needed = decide({ machine, present in body(&machine, prepared, present) }) {
      guard let needed else { return true }
      prepared = prepare(needed)
    }
    return false
  }

  /// Runs the foreign code that a step needs.
  ///
  /// Edits must not change this publisher, as the transforms of `update` mustn't.
  private func prepare(_ needed: Preparation<Value>) -> Prepared<Value> {
    if let former = needed.former, let isUnchanged = options.isUnchanged, isUnchanged(former, needed.data) {
      return Prepared(revision: needed.revision, data: needed.data, shown: former, isUnchanged: true)
    }
    registry.beginUpdate()
    let data = needed.accepted?.apply(needed.data) ?? needed.data
    var (shown, between) = (data, [Value]())
    for edit in needed.edits {
      between.append(shown)
      shown = edit.apply(shown)
    }
    registry.abandonUpdate()
    // What dies now may publish.
    withExtendedLifetime(between) {}
    return Prepared(revision: needed.revision, data: data, shown: shown, isUnchanged: false)
  }

  private func operation(for change: LoadStep<Value>.CacheChange) -> CacheOperationQueue.Operation? {
    switch change {
    case .clear: return cache?.clearOperation()
    case .write(let value, let time, let hasEdit):
      // With the age that the value has when it is written (5.06).
      return cache?.writeOperation(value, hasEdit: hasEdit) { [registry, owner, measuring] in
        guard let time, let freshness = measuring.withLock({ $0 }),
          !registry.turn({ _ in owner.machine.isCacheInvalidated })
        else { return .outdated }
        return freshness.age(since: time)
      }
    }
  }
}

/// Waiting.
extension LoadDriver {
  /// Asks for a load in one turn.
  ///
  /// Returns the load to wait for, and the waiter of a caller that waits; nil if there is nothing to load.
  func ask(
    waits: Bool, _ body: (inout Machine, WaiterID?, Machine.Present) -> (LoadStep<Value>, LoadAnswer)
  ) -> LoadWait? {
    let outcome = decide { machine, present, waiters, effects in
      let waiter = waits ? waiters.add(missing: 1) : nil
      let (step, answer) = body(&machine, waiter, present)
      if answer == .nothing, let waiter { waiters.remove(waiter, &effects) }
      return (step, (waiter, answer))
    }
    guard let ((waiter, answer), load) = outcome, let waiter, answer != .nothing else { return nil }
    return LoadWait(waiter: waiter, isForNext: answer == .next, load: load)
  }

  struct LoadWait {
    let waiter: WaiterID
    /// Whether to ask again after this load.
    let isForNext: Bool
    let load: Load<Value>?
  }

  /// Waits for the end of a load, and returns the state that it has ended with.
  ///
  /// Returns nil if the load was superseded, or if this task is cancelled.
  func result(of wait: LoadWait) async -> LoadState<Value>? {
    await suspend(wait.waiter) { machine, present in machine.leave(wait.waiter, present) }
    return registry.turn { _ in wait.load?.result }
  }

  private func suspend(
    _ waiter: WaiterID, onCancel leave: @Sendable (inout Machine, Machine.Present) -> LoadStep<Value>
  ) async {
    await registry.wait(for: waiter) {
      decide { machine, present in (leave(&machine, present), ()) }
      // The last waiter continues when this thread has delivered the state from before the load.
      registry.perform { turn, effects in turn.waiters.remove(waiter, &effects) }
    }
  }

  /// Waits between two refreshes; returns false if the task is cancelled or the manager is gone.
  func pause(for interval: Duration) async -> Bool {
    await withTaskGroup(of: Bool.self) { group in
      group.addTask { [limit] in await limit.pause(for: interval) }
      group.addTask { [self] in
        let waiter = decide { machine, _, waiters, _ in
          let waiter = machine.isOver ? nil : waiters.add(missing: 1)
          if let waiter { machine.beginPause(of: waiter) }
          return (LoadStep(), waiter)
        }
        if let waiter = waiter?.answer {
          await suspend(waiter) { machine, _ in
            machine.endPause(of: waiter)
            return LoadStep()
          }
        }
        return false
      }
      let goesOn = await group.next() ?? false
      group.cancelAll()
      return goesOn
    }
  }
}

/// Freshness.
extension LoadDriver {
  private var freshness: Freshness? { measuring.withLock { $0 } }

  func measureAges() {
    guard freshness == nil else { return }
    // Reads the clock, which is foreign code.
    let made = options.makeFreshness()
    measuring.withLock { if $0 == nil { $0 = made } }
  }

  /// The time on the manager's clock; nil if nobody wants to know an age, so that the clock isn't read (5.06).
  func now(for maxAge: Duration? = nil) -> Duration? {
    let matters = maxAge != nil || options.staleAfter != nil || options.errorStaleAfter > .zero
    return matters ? freshness?.start() : nil
  }

  /// The time at which data that arrives now, and is this old, was new; nil if nobody wants to know.
  func freshSince(age: Duration = .zero) -> Duration? { freshness?.start(age: age) }

  /// When a load has failed; nil if that doesn't matter.
  var timeOfFailure: Duration? { options.errorStaleAfter > .zero ? freshness?.start() : nil }

  /// The age below which a cached value makes a load unnecessary.
  func acceptedAge(_ maxAge: Duration? = nil) -> Duration? {
    options.cachePolicy == .alwaysLoad ? nil : maxAge ?? options.staleAfter ?? .unlimited
  }
}
