/// The driver of a manager's loads, which runs them and publishes their results.
///
/// The registry's turns decide whether a load is active, which tasks wait for it, and whether its result still counts.
/// The driver acts between the turns.
///
/// The task of a load holds the driver, so the driver holds the registry instead of the publisher. The publisher ends
/// when its users have released it (3.06), rather than when a cancelled load has noticed its cancellation.
final class LoadDriver<Value: Sendable>: Sendable {
  /// What a load does.
  struct Plan: Sendable {
    let kind: ActiveLoad.Kind
    /// Loads the value; called once for each attempt.
    ///
    /// It receives the current data as a closure, so that a loader that doesn't call it doesn't keep the data alive.
    let load: @Sendable (_ previous: @Sendable () -> Value?) async throws -> Value
  }

  /// The present data, as one turn has found it.
  struct Present {
    let found: PresentState
    let publication: Publication<Value>
    let edits: PendingEdits<Value>?

    init(_ found: PresentState) {
      self.found = found
      publication = .from(found.current)
      edits = found.edits.map { unsafe unsafeDowncast($0, to: PendingEdits<Value>.self) }
    }

    var validity: DataValidity { found.validity }
    var failure: LoadFailure? { found.failure }
    var load: ActiveLoad? { found.load }

    /// The server's data, without the pending edits.
    var server: ManagerData<Value>? {
      if let edits { return edits.server }
      return publication.state.value.map { ManagerData(value: $0, provenance: publication.provenance) }
    }

    /// When the data was new, on the manager's clock; nil if that isn't known.
    var freshSince: Duration? { validity.freshSince(publication.provenance) }
  }

  let registry: PublisherRegistry
  let operation: TimeLimitedOperation
  let cache: ManagerCache<Value>?
  let options: LoadingOptions<Value>
  /// Measures ages; nil until somebody wants to know one, so that the clock isn't read (5.06).
  private let measuring: Locked<Freshness?>

  init(_ publisher: Publisher<Value>, _ options: LoadingOptions<Value>) {
    guard options.errorStaleAfter >= .zero else {
      stopForMisuse(
        "errorStaleAfter is \(options.errorStaleAfter), but no error is younger than that: give zero or more")
    }
    registry = publisher.registry
    let isMeasuring = options.errorStaleAfter > .zero || options.cache != nil
    measuring = Locked(publisher.freshness ?? (isMeasuring ? options.makeFreshness() : nil))
    operation = TimeLimitedOperation(timeout: options.timeout, clock: options.clock, executor: options.executor)
    cache = options.cache.map { ManagerCache($0, failed: options.cacheFailed) }
    self.options = options
  }
}

/// The operations of managers.
extension LoadDriver {
  /// Loads, or joins the active load, and waits for the result (5.03 to 5.05).
  ///
  /// Returns nil if there is no result.
  func load(_ plan: Plan, joins: Bool = true) async -> LoadState<Value>? {
    await result(of: LoadRequest(kind: .whole, acceptedAge: nil), joins: joins) { _, _ in plan }
  }

  /// Loads one more page, or joins its load, and waits for the result.
  ///
  /// `plan` decides what to load, given the present data and the list whose refresh this call has waited for; nil means
  /// nothing. A cached list that is fresh is as good as a first page.
  func loadPage(_ plan: (Present, _ refreshed: Value?) -> Plan?) async -> LoadState<Value>? {
    await result(of: LoadRequest(kind: .page, acceptedAge: acceptedAge()), joins: true, plan)
  }

  /// Loads if the data is unknown, stale, or an error, and no load is active.
  ///
  /// An active load continues from now on even if all of its waiters are cancelled.
  func loadIfNeeded(_ plan: (Present) -> Plan) {
    // One more page doesn't make a stale list fresh.
    let isWhole = registry.managed.map { $0.load?.kind == .page && isStale(Present($0)) } ?? false
    let request = LoadRequest(kind: isWhole ? .whole : nil, acceptedAge: acceptedAge())
    while case .free(let state) = registry.joinLoad(request, waits: false) {
      let present = Present(state)
      guard isLoadNeeded(present) else { return }
      if case .began = begin(plan(present), ifPresentIs: present, request, waits: false) { return }
    }
  }

  /// Returns the value at hand if it is younger than `maxAge`, and otherwise what a load ends with.
  func value(maxAge: Duration?, _ plan: Plan) async throws -> Value {
    if let maxAge, maxAge < .zero {
      stopForMisuse("maxAge is \(maxAge), but no data is younger than that: give zero or more")
    }
    if maxAge != nil { measureAges() }
    let request = LoadRequest(kind: .whole, acceptedAge: acceptedAge(maxAge))
    while true {
      try Task.checkCancellation()
      if let value = try freshValue(maxAge: maxAge) { return value }
      if let result = await result(of: request, joins: true, { _, _ in plan }) { return try result.get() }
      try Task.checkCancellation()
      guard let present else { throw PublisherEnded(source: registry.source) }
      // Unless another load has taken the place of this one.
      if present.load == nil { return try present.publication.state.get() }
    }
  }

  private func freshValue(maxAge: Duration?) throws -> Value? {
    guard let present else { throw PublisherEnded(source: registry.source) }
    return isFresh(present, maxAge: maxAge) ? present.publication.state.value : nil
  }

  /// Refreshes again and again, with a pause between the end of a load and the start of the next (5.17).
  func poll(every interval: Duration, while condition: (LoadState<Value>) -> Bool, _ plan: Plan) async {
    guard interval > .zero else {
      stopForMisuse("the interval is \(interval), so there would be no pause between two loads: give more than zero")
    }
    // No state outlives the call that it is passed to.
    while !Task.isCancelled, present.map({ condition($0.publication.state) }) ?? false {
      _ = await load(plan)
      guard await pause(for: interval) else { return }
    }
  }

  /// Publishes a value and writes it to the cache (5.16).
  func set(_ value: Value) {
    let new = publication(loaded: value, .published)
    publish(new, enqueuing: writeOperation(value, since: new.provenance?.freshSince))
  }

  func publishInitial(_ value: Value) { registry.publish(publication(loaded: value, .published)) }

  func invalidate() { registry.invalidate() }

  func cancel() { registry.rollBackLoad() }

  /// Resets the publisher and clears the cache (5.10).
  func logout() { publish(publication(.unknown, nil), enqueuing: cache?.clearOperation()) }

  /// Ends the active load and the polls, because the manager is gone (5.09).
  func end() { registry.endManager() }

  /// Waits until the cache has done everything that was requested so far.
  func waitForCache() async { await cache?.queue.drain() }
}

/// Freshness.
extension LoadDriver {
  var freshness: Freshness? { measuring.withLock { $0 } }

  private func measureAges() {
    guard freshness == nil else { return }
    // Reads the clock, which is foreign code.
    let made = options.makeFreshness()
    measuring.withLock { if $0 == nil { $0 = made } }
  }

  /// Makes the operation that writes data to the cache, with the age that it has when it is written (5.06).
  ///
  /// Data that doesn't count as fresh, or whose age isn't known, is written as outdated data. `hasEdit` tells whether the
  /// value has a confirmed edit, which the value before it lacks.
  func writeOperation(_ value: Value, since time: Duration?, hasEdit: Bool = false) -> CacheOperation? {
    cache?.writeOperation(value, clearingIfItFails: hasEdit) { [registry, freshness] in
      guard let time, let freshness, !registry.isCacheInvalidated else { return .outdated }
      return freshness.age(since: time)
    }
  }

  /// Returns the time from which data that arrives now, already this old, counts as fresh.
  ///
  /// Nil if nobody wants to know it, so that the clock isn't read (5.06).
  func freshSince(age: Duration = .zero) -> Duration? {
    freshness?.start(age: age)
  }

  var present: Present? { registry.managed.map(Present.init) }

  /// The age below which a cached value makes a load unnecessary.
  private func acceptedAge(_ maxAge: Duration? = nil) -> Duration? {
    options.cachePolicy == .alwaysLoad ? nil : maxAge ?? options.staleAfter ?? .unlimited
  }

  private func isLoadNeeded(_ present: Present) -> Bool {
    switch present.publication.phase {
    // Nobody loads, so a `loading` was published by hand.
    case .unknown, .loading: true
    // The result of an outdated load is stale, or isn't even taken.
    case .loaded: isStale(present) || present.load?.isOutdated ?? false
    case .error: present.failure.map { $0.isOutdated || !isRecent($0) } ?? true
    }
  }

  func isStale(_ present: Present) -> Bool {
    present.validity.isInvalidated || freshness?.isStale(since: present.freshSince) ?? false
  }

  private func isRecent(_ failure: LoadFailure) -> Bool {
    age(since: failure.time).map { $0 < options.errorStaleAfter } ?? false
  }

  private func age(since start: Duration?) -> Duration? { start.flatMap { freshness?.age(since: $0) } }

  /// Returns whether data is younger than `maxAge`, or not stale; data of unknown age is older than any `maxAge`.
  private func isFresh(_ present: Present, maxAge: Duration?) -> Bool {
    guard let maxAge else { return !isStale(present) }
    guard !present.validity.isInvalidated, let age = age(since: present.freshSince) else { return false }
    return age < maxAge
  }
}
