/// The driver of a manager's loads, which runs them and publishes their results.
///
/// The registry's turns decide whether a load is active, which tasks wait for it, and whether its result still counts.
/// The driver acts between the turns.
///
/// The task of a load holds the driver, so the driver holds the registry instead of the publisher. The publisher ends
/// when its users have released it (3.06), rather than when a cancelled load has noticed its cancellation.
final class LoadDriver<Value: Sendable>: Sendable {
  /// A plan of a load, given the state before it.
  struct Plan: Sendable {
    let kind: ActiveLoad.Kind
    /// Loads the value; called once for each attempt.
    let load: @Sendable () async throws -> Value
  }

  private let registry: PublisherRegistry
  private let freshness: Freshness?
  private let operation: TimeLimitedOperation
  private let retry: RetryPolicy
  private let cache: ManagerCache<Value>?

  init(
    _ publisher: Publisher<Value>, _ operation: TimeLimitedOperation, retry: RetryPolicy,
    cache: ManagerCache<Value>? = nil
  ) {
    registry = publisher.registry
    freshness = publisher.freshness
    self.operation = operation
    self.retry = retry
    self.cache = cache
  }
}

/// The operations of managers.
extension LoadDriver {
  /// Loads, or joins the active load, and waits for the result (5.03 to 5.05).
  ///
  /// `plan` decides what to load, given the current publication; nil means nothing. Returns nil if there is no result.
  func load(
    _ requested: ActiveLoad.Kind, joins: Bool, _ plan: (Publication<Value>) -> Plan?
  ) async -> LoadState<Value>? {
    guard !Task.isCancelled, let waiter = waiter(for: requested, joins: joins, plan) else { return nil }
    return (await registry.result(for: waiter) as? Publication<Value>)?.state
  }

  /// Loads if the current state is unknown, an error, or stale, and no load is active.
  ///
  /// An active load continues from now on even if all of its waiters are cancelled.
  func loadIfNeeded(_ plan: Plan) {
    while case .free(let current) = join(.page, waits: false) {
      let isNeeded =
        switch current.phase {
        case .unknown, .error: true
        case .loaded: freshness?.isStale(since: current.freshSince) ?? false
        // Published by hand.
        case .loading: false
        }
      guard isNeeded, case .superseded = begin(plan, insteadOf: current, waits: false) else { return }
    }
  }

  /// Resets the publisher and clears the cache (5.10).
  func logout() {
    guard let cache else { return registry.publish(publication(.unknown)) }
    registry.publish(publication(.unknown), then: cache.clearOperation())
    cache.queue.run(on: operation.executor)
  }

  /// Cancels the active load, because the manager is gone (5.09).
  func rollBack() { registry.rollBackLoad() }

  /// Waits until the cache has done everything that was requested so far.
  func waitForCache() async { await cache?.queue.drain() }
}

/// The life of one load.
extension LoadDriver {
  private enum JoinAction {
    case joined(WaiterID?)
    case free(Publication<Value>)
    case ended
  }

  private func waiter(
    for requested: ActiveLoad.Kind, joins: Bool, _ plan: (Publication<Value>) -> Plan?
  ) -> WaiterID? {
    while true {
      switch joins ? join(requested, waits: true) : current.map(JoinAction.free) ?? .ended {
      case .joined(let waiter): return waiter
      case .ended: return nil
      case .free(let current):
        guard let plan = plan(current) else { return nil }
        if case .began(let waiter) = begin(plan, insteadOf: current, waits: true) { return waiter }
      }
    }
  }

  private func join(_ requested: ActiveLoad.Kind, waits: Bool) -> JoinAction {
    switch registry.joinLoad(requested, waits: waits) {
    case .joined(let waiter): .joined(waiter)
    case .free(let state): (state as? Publication<Value>).map(JoinAction.free) ?? .ended
    case .ended: .ended
    }
  }

  /// Begins a load if `old` is still the current publication.
  private func begin(
    _ plan: Plan, insteadOf old: Publication<Value>, waits: Bool
  ) -> PublisherRegistry.BeginLoadAction {
    let task = LoadTask()
    // Two objects, because each can be published only once.
    let loading = publication(.loading(previous: old.state.value), freshSince: old.freshSince)
    let before = publication(old.state, freshSince: old.freshSince)
    let reading = old.state.value == nil ? cache.map { CacheReading(of: $0) } : nil
    let action = registry.begin(
      ActiveLoad(task, plan.kind, before: before), publishing: loading, insteadOf: old, waits: waits,
      then: reading?.operation)
    if case .began = action {
      if reading != nil { cache?.queue.run(on: operation.executor) }
      task.start(on: operation.executor) { [self, result = reading?.result] in
        if let result { await publishCached(result, within: task) }
        await run(task, plan)
      }
    }
    return action
  }

  /// Publishes the cache's value, or the reason why it can't be read, and continues to load.
  private func publishCached(
    _ read: @escaping @Sendable () async throws -> Cached<Value>?, within task: LoadTask
  ) async {
    let found: Publication<Value>
    switch await operation.run(read) {
    case .success(let cached?): found = publication(loaded: cached.value, age: cached.age)
    case .failure(let error):
      let failure = error as? CacheFailure ?? cache?.report(.read, error)
      found = publication(.error(failure ?? error, previous: nil))
    case .success(nil), nil: return
    }
    let before = publication(found.state, freshSince: found.freshSince)
    guard registry.publish(found, within: task, before: before) else { return }
    let loading = publication(.loading(previous: found.state.value), freshSince: found.freshSince)
    _ = registry.publish(loading, within: task)
  }

  /// Tries until an attempt succeeds or none is left, and publishes only the final result (5.07).
  private func run(_ task: LoadTask, _ plan: Plan) async {
    var failures = 0
    while registry.isActive(task) {
      switch await operation.run(plan.load) {
      case nil: return
      case .success(let value): return succeed(task, plan.kind, with: value)
      case .failure(let error):
        failures += 1
        guard let delay = retry.delay(after: failures, error) else { return fail(task, with: error) }
        guard await operation.pause(for: delay) else { return fail(task, with: error) }
      }
    }
  }

  private func succeed(_ task: LoadTask, _ kind: ActiveLoad.Kind, with value: Value) {
    let result =
      switch kind {
      case .whole: publication(loaded: value)
      // As old as the oldest page. Pages that `setState` has put into an error have no age, and count as new from now
      // on.
      case .page: publication(.loaded(value), freshSince: current?.freshSince ?? freshness?.start())
      }
    guard let cache else { return registry.commit(result, of: task) }
    registry.commit(result, of: task, then: cache.writeOperation(value))
    cache.queue.run(on: operation.executor)
  }

  private func fail(_ task: LoadTask, with error: any Error) {
    // Nothing else changes the state while the load is active.
    let current = current
    let result = publication(.error(error, previous: current?.state.value), freshSince: current?.freshSince)
    registry.commit(result, of: task)
  }

  /// The current publication; nil once the publisher has ended.
  private var current: Publication<Value>? { registry.current as? Publication<Value> }

  private func publication(_ state: LoadState<Value>, freshSince: Duration? = nil) -> Publication<Value> {
    Publication(state, source: registry.source, freshSince: freshSince)
  }

  /// Makes a publication of data that arrives now and already has an age.
  private func publication(loaded value: Value, age: Duration = .zero) -> Publication<Value> {
    publication(.loaded(value), freshSince: freshness?.start(age: age))
  }
}
