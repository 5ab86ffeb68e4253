/// Carries out the loads of a manager, and drives its publisher with what comes of them.
///
/// Whether there is a load, who waits for it and whether its result still counts is state of the publisher's registry,
/// and decided in its turns. Here is what happens between two turns.
///
/// The task of a load holds the driver, so this holds the registry and not the publisher: that ends when its users have
/// let go of it (rule 3.06), and not when a load that was cancelled has noticed.
final class LoadDriver<Value: Sendable>: Sendable {
  private let registry: PublisherRegistry
  private let freshness: Freshness?
  private let attempt: Attempt
  private let retry: RetryPolicy
  private let cache: ManagerCache<Value>?

  init(_ publisher: Publisher<Value>, _ attempt: Attempt, retry: RetryPolicy, cache: ManagerCache<Value>? = nil) {
    registry = publisher.registry
    freshness = publisher.freshness
    self.attempt = attempt
    self.retry = retry
    self.cache = cache
  }

  /// Loads, or joins the load under way, and waits for what it comes to (rules 5.03 to 5.05): nil if that is nothing.
  /// Without a plan for what there is, nothing is loaded.
  func load(
    _ wanted: LoadUnderWay.Kind, joins: Bool, _ plan: (Publication<Value>) -> LoadPlan<Value>?
  ) async -> LoadState<Value>? {
    guard !Task.isCancelled, let waiter = waiter(wanted, joins: joins, plan) else { return nil }
    return (await registry.result(for: waiter) as? Publication<Value>)?.state
  }

  /// Loads if what there is can't stay, and nobody loads yet. A load under way goes on, whoever else gives up.
  func loadIfNeeded(_ plan: LoadPlan<Value>) {
    while let current = joined(.page, waits: false).current {
      let isNeeded =
        switch current.phase {
        case .unknown, .error: true
        case .loaded: freshness?.isStale(since: current.freshSince) ?? false
        // Somebody else's, by hand.
        case .loading: false
        }
      guard isNeeded, case .overtaken = begin(plan, insteadOf: current, waits: false) else { return }
    }
  }

  /// Forgets everything, in the cache too (rule 5.10).
  func logout() {
    guard let cache else { return registry.publish(publication(.unknown)) }
    registry.publish(publication(.unknown), then: cache.operationThatClears())
    cache.queue.run(on: attempt.executor)
  }

  /// The manager is gone (rule 5.09).
  func abandon() { registry.abandonLoad() }

  /// Returns when the cache has done everything that it was asked for until now.
  func waitForCache() async { await cache?.queue.drain() }

  private func waiter(
    _ wanted: LoadUnderWay.Kind, joins: Bool, _ plan: (Publication<Value>) -> LoadPlan<Value>?
  ) -> WaiterID? {
    while true {
      let found = joins ? joined(wanted, waits: true) : (waiter: nil, current: current)
      guard let current = found.current else { return found.waiter }
      guard let plan = plan(current) else { return nil }
      if case .began(let waiter) = begin(plan, insteadOf: current, waits: true) { return waiter }
    }
  }

  /// Joins the load under way, or hands out the state in which nobody loads.
  private func joined(_ wanted: LoadUnderWay.Kind, waits: Bool) -> (waiter: WaiterID?, current: Publication<Value>?) {
    switch registry.joinLoad(wanted, waits: waits) {
    case .joined(let waiter): (waiter, nil)
    case .free(let state): (nil, state as? Publication<Value>)
    case nil: (nil, nil)
    }
  }

  /// Begins a load if the state is still that one.
  private func begin(
    _ plan: LoadPlan<Value>, insteadOf old: Publication<Value>, waits: Bool
  ) -> PublisherRegistry.Begun {
    let load = Load()
    // Of another object each, as each can be published once.
    let loading = publication(.loading(previous: old.state.value), freshSince: old.freshSince)
    let before = publication(old.state, freshSince: old.freshSince)
    let (reading, operation) = (old.state.value == nil ? cache : nil).map { CacheReading.make(of: $0) } ?? (nil, nil)
    let begun = registry.begin(
      LoadUnderWay(load, plan.kind, before: before), showing: loading, insteadOf: old, waits: waits,
      then: operation)
    if case .began = begun {
      if reading != nil { cache?.queue.run(on: attempt.executor) }
      load.start(on: attempt.executor) { [self] in
        if let reading { await show(reading, of: load) }
        await run(load, plan)
      }
    }
    return begun
  }

  /// Shows what the cache has, or why that can't be read, until the load has ended.
  private func show(_ reading: CacheReading<Value>, of load: Load) async {
    let found: Publication<Value>
    switch await attempt.outcome(of: reading.result) {
    case .success(let cached?): found = publication(loaded: cached.value, age: cached.age)
    case .failure(let error):
      let failure = error as? CacheFailure ?? cache?.failed(.read, error)
      found = publication(.error(failure ?? error, previous: nil))
    case .success(nil), nil: return
    }
    let before = publication(found.state, freshSince: found.freshSince)
    guard registry.advance(load, to: found, before: before) else { return }
    let loading = publication(.loading(previous: found.state.value), freshSince: found.freshSince)
    _ = registry.advance(load, to: loading)
  }

  /// Tries until it succeeds or has to give up, and publishes only what it came to (rule 5.07).
  private func run(_ load: Load, _ plan: LoadPlan<Value>) async {
    var failures = 0
    while registry.isUnderWay(load) {
      switch await attempt.outcome(of: plan.operation) {
      case nil: return
      case .success(let value): return succeed(load, plan.kind, with: value)
      case .failure(let error):
        failures += 1
        guard let delay = retry.delay(after: failures, error) else { return fail(load, with: error) }
        guard await attempt.pause(delay) else { return fail(load, with: error) }
      }
    }
  }

  private func succeed(_ load: Load, _ kind: LoadUnderWay.Kind, with value: Value) {
    let result =
      switch kind {
      case .whole: publication(loaded: value)
      // As old as the oldest page. Pages that `setState` put into an error have no age: they count as new from here on.
      case .page: publication(.loaded(value), freshSince: current?.freshSince ?? freshness?.start())
      }
    guard let cache else { return registry.commit(load, result) }
    registry.commit(load, result, then: cache.operation(writing: value))
    cache.queue.run(on: attempt.executor)
  }

  private func fail(_ load: Load, with error: any Error) {
    // As long as the load is under way nobody else changes the state.
    let current = current
    let result = publication(.error(error, previous: current?.state.value), freshSince: current?.freshSince)
    registry.commit(load, result)
  }

  /// Nil when the publisher has ended.
  private var current: Publication<Value>? { registry.current as? Publication<Value> }

  private func publication(_ state: LoadState<Value>, freshSince: Duration? = nil) -> Publication<Value> {
    Publication(state, source: registry.source, freshSince: freshSince)
  }

  /// Data that comes now, and is that old already.
  private func publication(loaded value: Value, age: Duration = .zero) -> Publication<Value> {
    publication(.loaded(value), freshSince: freshness?.start(age: age))
  }
}
