/// The driver of a manager's loads and edits: it asks the machine in the publisher's turns, and acts between them.
///
/// The task of a load holds the driver, so the driver holds the registry instead of the publisher. So the publisher
/// ends when its users have released it (3.06), and not only when a cancelled load has noticed its cancellation.
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
  let owner: LoadOwner<Value>
  /// Limits how many loads of a family call their loaders at the same time; nil for no limit.
  let places: LoadPlaces?
  /// Measures ages; nil until somebody wants to know one, so that the clock isn't read (5.06).
  private let measuring: Locked<Freshness?>

  init(_ publisher: Publisher<Value>, _ options: LoadingOptions<Value>, _ loader: @escaping Loader) {
    guard options.errorStaleAfter >= .zero else {
      stopForMisuse(
        "errorStaleAfter is \(options.errorStaleAfter), but no error is younger than that: give zero or more")
    }
    guard (0...1).contains(options.staleJitter) else {
      stopForMisuse(
        "staleJitter is \(options.staleJitter), but it is a fraction of staleAfter: give a number from 0 to 1")
    }
    registry = publisher.registry
    let isMeasuring = options.errorStaleAfter > .zero || options.cache != nil
    measuring = Locked(publisher.freshness ?? (isMeasuring ? options.makeFreshness() : nil))
    limit = TimeLimit(timeout: options.timeout, clock: options.clock, executor: options.executor)
    cache = options.makeCache(for: publisher.id)
    owner = LoadOwner(
      Machine.Rules(
        staleAfter: options.staleAfter, jitter: publisher.freshness?.jitter,
        errorStaleAfter: options.errorStaleAfter, isQuiet: options.refreshes == .quiet,
        sendsOneAtATime: options.sends == .oneAtATime))
    // Without the value to begin with, which nobody needs any more once it is replaced.
    var kept = options
    kept.initial = nil
    self.options = kept
    self.loader = loader
    places = LoadPlaces.ofFamily
    registry.setOwner(owner)
    options.publishInitial(at: registry, freshness)
  }
}

/// Turns.
extension LoadDriver {
  /// Takes one turn in which the machine decides, and then carries out the decision.
  func decide(_ body: (inout Machine, Machine.Present) -> LoadStep<Value>) {
    decideOnLoad { machine, present, _, _ in body(&machine, present) }
  }

  /// Does the same, and returns the active load.
  @discardableResult
  func decideOnLoad(
    _ body: (inout Machine, Machine.Present, inout Waiters, inout Effects) -> LoadStep<Value>
  ) -> Load<Value>? {
    // Keeps what the machine drops until the turn has ended.
    var former: Machine.ForeignValues?
    var (load, begun) = (Load<Value>?.none, Load<Value>?.none)
    var usesCache = false
    registry.decide { (current: Publication<Value>, turn, effects) in
      former = owner.machine.foreignValues
      let present = Machine.Present(publication: current, validity: turn.validity)
      let step = body(&owner.machine, present, &turn.waiters, &effects)
      owner.apply(step, step.publisher.published ?? current, &effects)
      if let cache, let change = step.cacheChange {
        cache.enqueue(operation(for: change, in: cache), &effects)
        usesCache = true
      }
      if let (id, kind, readsCache) = step.begun {
        var reading: CacheReading<Value>?
        if let cache, readsCache { reading = CacheReading(of: cache, &effects) }
        begun = Load(id, kind, reading: reading?.wait)
        owner.load = begun
        if reading != nil { usesCache = true }
      }
      load = owner.load
      return step.publisher
    }
    _ = former
    if usesCache { cache?.queue.run(on: limit.executor) }
    if let begun { start(begun) }
    return load
  }

  /// Returns what `body` finds in the machine and the present state.
  func find<Found>(_ body: (Machine, Machine.Present) -> Found) -> Found {
    registry.turn { turn in
      body(owner.machine, Machine.Present(publication: turn.current(at: registry.source), validity: turn.validity))
    }
  }

  /// Takes a turn in which the machine may ask for a preparation, and after that another one, until it needs none.
  func decidePrepared(
    _ body: (inout Machine, Prepared<Value>?, Machine.Present) -> (LoadStep<Value>, Preparation<Value>?)
  ) {
    var (prepared, needed) = (Prepared<Value>?.none, Preparation<Value>?.none)
    repeat {
      if let needed { prepared = prepare(needed) }
      // The former one may hold the last reference to a dropped edit, so it outlives the turn.
      var next: Preparation<Value>?
      decide { machine, present in
        let (step, preparation) = body(&machine, prepared, present)
        next = preparation
        return step
      }
      needed = next
    } while needed != nil
  }

  /// Runs the foreign code that a step needs.
  ///
  /// Like the transforms of `update`, edits must not change this publisher.
  private func prepare(_ needed: Preparation<Value>) -> Prepared<Value> {
    if let former = needed.former, let isUnchanged = options.isUnchanged, isUnchanged(former.value, needed.data.value) {
      return Prepared(revision: needed.revision, data: needed.data, shown: former.value, isUnchanged: true)
    }
    registry.beginUpdate()
    var data = needed.data
    if let accept = needed.accept { data = ServerData(accept(data.value), data.provenance) }
    var (shown, between) = (data.value, [Value]())
    for edit in needed.edits {
      between.append(shown)
      shown = edit.apply(shown)
    }
    registry.abandonUpdate()
    // Their `deinit` may publish, so they die only now.
    withExtendedLifetime(between) {}
    return Prepared(revision: needed.revision, data: data, shown: shown, isUnchanged: false)
  }

  private func operation(
    for change: LoadStep<Value>.CacheChange, in cache: ManagerCache<Value>
  ) -> CacheOperationQueue.Operation {
    switch change {
    case .clear: return cache.clearOperation()
    case .write(let data, let time, let hasEdit):
      // With the age that the value has when it is written (5.06).
      return cache.writeOperation(data.value, hasEdit: hasEdit) { [registry, owner, measuring] in
        guard let time, let freshness = measuring.withLock({ $0 }),
          !registry.turn({ _ in owner.machine.isCacheInvalidated })
        else { return .outdated }
        return freshness.age(since: time)
      }
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

  /// The time at which data that arrives now with this age was new; nil if nobody wants to know.
  func freshSince(age: Duration = .zero) -> Duration? { freshness?.start(age: age) }

  /// When a load has failed; nil if that doesn't matter.
  var timeOfFailure: Duration? { options.errorStaleAfter > .zero ? freshness?.start() : nil }

  /// Which cached value makes a load unnecessary.
  func accepted(_ maxAge: Duration? = nil) -> AcceptedValue {
    options.cachePolicy == .alwaysLoad ? .none : maxAge.map(AcceptedValue.youngerThan) ?? .fresh
  }
}
