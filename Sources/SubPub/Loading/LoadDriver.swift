/// Carries out the loads of a manager, and drives its publisher with what comes of them.
///
/// Whether there is a load, who waits for it and whether its result still counts is state of the publisher's registry,
/// and decided in its turns. Here is what happens between two turns.
final class LoadDriver<Value: Sendable>: Sendable {
  let publisher: Publisher<Value>
  private let attempt: Attempt
  private let retry: RetryPolicy
  private let cache: ManagerCache<Value>?

  init(_ publisher: Publisher<Value>, _ attempt: Attempt, retry: RetryPolicy, cache: ManagerCache<Value>? = nil) {
    self.publisher = publisher
    self.attempt = attempt
    self.retry = retry
    self.cache = cache
  }

  /// Loads, or joins the load under way, and waits for what it comes to (rules 5.03 to 5.05). Without a plan for what
  /// there is, nothing is loaded.
  func load(
    _ wanted: LoadUnderWay.Kind, joins: Bool, _ plan: (Publication<Value>) -> LoadPlan<Value>?
  ) async -> LoadState<Value> {
    guard !Task.isCancelled, let waiter = waiter(wanted, joins: joins, plan) else { return publisher.state }
    let result = await publisher.registry.result(for: waiter)
    return (result as? Publication<Value>)?.state ?? publisher.state
  }

  /// Loads if what there is can't stay, and nobody loads yet. A load under way goes on, whoever else gives up.
  func loadIfNeeded(_ plan: LoadPlan<Value>) {
    while let current = joined(.page, waits: false).current {
      let isNeeded =
        switch current.phase {
        case .unknown, .error: true
        case .loaded: publisher.isStale(current)
        // Somebody else's, by hand.
        case .loading: false
        }
      guard isNeeded, case .overtaken = begin(plan, insteadOf: current, waits: false) else { return }
    }
  }

  /// Forgets everything, in the cache too (rule 5.10).
  func logout() {
    guard let cache else { return publisher.reset() }
    publisher.registry.publish(publisher.publication(.unknown)) { await cache.clear() }
    publisher.registry.workOffAgenda(on: attempt.executor)
  }

  /// The manager is gone (rule 5.09).
  func abandon() { publisher.registry.abandonLoad() }

  /// Returns when the cache has done everything that it was asked for until now.
  func waitForCache() async { await publisher.registry.waitForAgenda() }

  private func waiter(
    _ wanted: LoadUnderWay.Kind, joins: Bool, _ plan: (Publication<Value>) -> LoadPlan<Value>?
  ) -> WaiterID? {
    while true {
      let found = joins ? joined(wanted, waits: true) : (waiter: nil, current: publisher.current)
      guard let current = found.current else { return found.waiter }
      guard let plan = plan(current) else { return nil }
      if case .began(let waiter) = begin(plan, insteadOf: current, waits: true) { return waiter }
    }
  }

  /// Joins the load under way, or hands out the state in which nobody loads.
  private func joined(_ wanted: LoadUnderWay.Kind, waits: Bool) -> (waiter: WaiterID?, current: Publication<Value>?) {
    switch publisher.registry.joinLoad(wanted, waits: waits) {
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
    let loading = publisher.publication(.loading(previous: old.state.value), freshSince: old.freshSince)
    let before = publisher.publication(old.state, freshSince: old.freshSince)
    let reading = old.state.value == nil ? cache.map(CacheReading.init) : nil
    let begun = publisher.registry.begin(
      LoadUnderWay(load, plan.kind, before: before), showing: loading, insteadOf: old, waits: waits,
      reading: reading?.work)
    if case .began = begun {
      if reading != nil { publisher.registry.workOffAgenda(on: attempt.executor) }
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
    case .success(let cached?): found = publisher.publication(loaded: cached.value, age: cached.age)
    case .failure(let error):
      let failure = error as? CacheFailure ?? cache?.failed(.read, error)
      found = publisher.publication(.error(failure ?? error, previous: nil))
    case .success(nil), nil: return
    }
    let before = publisher.publication(found.state, freshSince: found.freshSince)
    guard publisher.registry.advance(load, to: found, before: before) else { return }
    let loading = publisher.publication(.loading(previous: found.state.value), freshSince: found.freshSince)
    _ = publisher.registry.advance(load, to: loading)
  }

  /// Tries until it succeeds or has to give up, and publishes only what it came to (rule 5.07).
  private func run(_ load: Load, _ plan: LoadPlan<Value>) async {
    var failures = 0
    while publisher.registry.isUnderWay(load) {
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
      case .whole: publisher.publication(loaded: value)
      // As old as the oldest page. Pages that `setState` put into an error have no age: they count as new from here on.
      case .page:
        publisher.publication(
          .loaded(value), freshSince: publisher.current.freshSince ?? publisher.freshness?.start())
      }
    guard let cache else { return publisher.registry.commit(load, result) }
    publisher.registry.commit(load, result) { await cache.write(value) }
    publisher.registry.workOffAgenda(on: attempt.executor)
  }

  private func fail(_ load: Load, with error: any Error) {
    // As long as the load is under way nobody else changes the state.
    let current = publisher.current
    publisher.registry.commit(
      load, publisher.publication(.error(error, previous: current.state.value), freshSince: current.freshSince))
  }
}
