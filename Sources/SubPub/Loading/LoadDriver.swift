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
  func load(joins: Bool, _ plan: (Publication<Value>) -> LoadPlan<Value>?) async -> LoadState<Value> {
    guard !Task.isCancelled, let waiter = begin(joins: joins, waits: true, plan) else { return publisher.state }
    let result = await publisher.registry.result(for: waiter)
    return (result as? Publication<Value>)?.state ?? publisher.state
  }

  /// Loads if what there is can't stay, and nobody loads yet. A load under way goes on, whoever else gives up.
  func loadIfNeeded(_ plan: LoadPlan<Value>) {
    var seen: Publication<Value>?
    while !publisher.registry.keepLoad() {
      var loading: Publication<Value>?
      _ = begin(joins: true, waits: false) { [publisher] current in
        switch current.phase {
        case .unknown, .error: return plan
        case .loaded: return publisher.isStale(current) ? plan : nil
        case .loading:
          loading = current
          return nil
        }
      }
      // A load that began just now has to be kept too. One that was there at two looks, and not to be kept between them,
      // is somebody else's.
      guard let loading, loading !== seen else { return }
      seen = loading
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
  func waitForCache() async {
    guard cache != nil else { return }
    await withCheckedContinuation { continuation in
      publisher.registry.append { continuation.resume() }
      publisher.registry.workOffAgenda(on: attempt.executor)
    }
  }

  /// Begins a load, or joins the one under way; who waits gets a waiter.
  private func begin(
    joins: Bool, waits: Bool, _ plan: (Publication<Value>) -> LoadPlan<Value>?
  ) -> WaiterID? {
    while true {
      let old = publisher.current
      guard let plan = plan(old) else { return nil }
      let load = Load()
      // Of another object each, as each can be published once.
      let loading = publisher.publication(.loading(previous: old.state.value), freshSince: old.freshSince)
      let before = publisher.publication(old.state, freshSince: old.freshSince)
      let reading = old.state.value == nil ? cache.map(CacheReading.init) : nil
      let wished = publisher.registry.load(
        LoadUnderWay(load, plan.kind, before: before), showing: loading, insteadOf: old, joins: joins, waits: waits,
        reading: reading?.step)
      switch wished {
      case .joined(let waiter): return waiter
      case .overtaken: continue
      case .began(_, let waiter):
        if reading != nil { publisher.registry.workOffAgenda(on: attempt.executor) }
        load.start(on: attempt.executor) { [self] in
          if let reading { await show(reading, of: load) }
          await run(load, plan)
        }
        return waiter
      }
    }
  }

  /// Shows what the cache has, or why that can't be read, until the load has ended.
  private func show(_ reading: CacheReading<Value>, of load: Load) async {
    let found: Publication<Value>
    switch await attempt.outcome(of: reading.result) {
    case .success(let cached?): found = publisher.publication(loaded: cached.value, age: cached.age)
    case .failure(let error): found = publisher.publication(.error(error, previous: nil))
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
    // As long as the load is under way nobody else changes it.
    let current = publisher.current
    publisher.registry.commit(
      load, publisher.publication(.error(error, previous: current.state.value), freshSince: current.freshSince))
  }
}
