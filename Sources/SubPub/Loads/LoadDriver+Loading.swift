import Synchronization

/// The operations of managers.
extension LoadDriver {
  /// Loads the whole value, or joins the active load, and waits for the result (5.03 to 5.05).
  ///
  /// With a number of logouts, does nothing after another one.
  /// Returns nil if there is no result.
  func load(joins: Bool = true, ifLogoutsAre logouts: Int? = nil) async -> LoadState<Value>? {
    guard !Task.isCancelled else { return nil }
    let request = LoadRequest(kind: .whole, joins: joins, logouts: logouts)
    guard let wait = ask(waits: true, { $0.ask(for: request, by: $1, $2) }) else { return nil }
    return await result(of: wait)
  }

  /// Loads one more page, or joins its load, and waits for the result; first waits for an active refresh.
  ///
  /// `isPointless` tells, from the current list and the result of that refresh, whether there is nothing to load. It
  /// runs in a turn. A cached list that is fresh counts as a first page.
  func loadPage(unless isPointless: (Value, _ refreshed: Value?) -> Bool) async -> LoadState<Value>? {
    let request = LoadRequest(kind: .page, accepts: accepted())
    var refreshed: Value?
    while !Task.isCancelled {
      let wait = ask(waits: true) { machine, caller, present in
        if !machine.joins(request), let list = present.state.value, isPointless(list, refreshed) {
          return (LoadStep(), .nothing)
        }
        return machine.ask(for: request, by: caller, present)
      }
      guard let wait else { return nil }
      let state = await result(of: wait)
      guard wait.isForNext, case .loaded(let list) = state else { return state }
      refreshed = list
    }
    return nil
  }

  /// Loads if the data is unknown, stale, or an error, and no load is active.
  ///
  /// An active load continues from now on even if all of its waiters are cancelled.
  func loadIfNeeded() {
    let (accepted, now) = (accepted(), now())
    _ = ask(waits: false) { machine, _, present in machine.askIfNeeded(accepting: accepted, now: now, present) }
  }

  /// Returns the current value if it is younger than `maxAge`, and otherwise the result of a load.
  func value(maxAge: Duration?) async throws -> Value {
    if let maxAge, maxAge < .zero {
      stopForMisuse("maxAge is \(maxAge), but no data is younger than that: give zero or more")
    }
    if maxAge != nil { measureAges() }
    let request = LoadRequest(kind: .whole, accepts: accepted(maxAge))
    while true {
      try Task.checkCancellation()
      let now = now(for: maxAge)
      var fresh: Value?
      let wait = ask(waits: true) { machine, caller, present in
        guard machine.isFresh(present, maxAge: maxAge, now), let value = present.state.value else {
          return machine.ask(for: request, by: caller, present)
        }
        fresh = value
        return (LoadStep(), .nothing)
      }
      if let fresh { return fresh }
      if let wait, let result = await result(of: wait) { return try result.get() }
      try Task.checkCancellation()
      let (isLoading, isOver, state) = find { ($0.load != nil, $0.isOver, $1.state) }
      if isOver { return try state.lastValue(of: registry.source) }
      // Unless another load has taken the place of this one.
      if !isLoading { return try state.get() }
    }
  }

  /// Publishes a value and writes it to the cache (5.16).
  func set(_ value: Value) {
    let data = ServerData(value, Provenance(.published, freshSince: freshSince()))
    decide { $0.set(data, $1) }
  }

  /// Makes the data stale (5.15).
  func invalidate() { decide { $0.invalidate($1) } }

  /// Ends the active load, and publishes the state from before it.
  func cancel() { decide { $0.rollBack($1) } }

  /// Resets the publisher and clears the cache (5.10).
  func logout() { decide { $0.logout($1) } }

  /// Ends the active load and the polls, because the manager is gone (5.09).
  func endManager() { decide { $0.endManager($1) } }

  /// Reads the cache, in the order of its operations.
  func cachedValue() async throws -> Cached<Value>? {
    try Task.checkCancellation()
    guard let cache else { return nil }
    let reading = CacheReading(of: cache)
    cache.queue.run(on: limit.executor)
    guard let result = await limit.run(reading.wait) else { throw CancellationError() }
    return try result.get()
  }

  /// Waits until the cache has done everything that was requested so far.
  func waitForCache() async { await cache?.queue.drain() }
}

extension LoadState {
  /// The value with which a publisher has finished; throws its error.
  fileprivate func lastValue(of source: PublisherID) throws -> Value {
    switch self {
    case .loaded(let value): return value
    case .error(let error, _): throw error
    case .unknown, .loading: throw PublisherEnded(source: source)
    }
  }
}

/// The life of one load.
extension LoadDriver {
  func start(_ load: Load<Value>) {
    // The caller's values, which everything that the load does sees (2.10).
    let carried = registry.extras?.capture()
    // Here, because tasks don't run in the order in which they start. A load that reads the cache takes one after that.
    let ticket = load.reading == nil ? places?.takeTicket() : nil
    load.task.start(on: limit.executor) { [self] in
      guard let carried else { return await run(load, nil, ticket) }
      await carried.provide(isolation: nil) { await run(load, carried, ticket) }
    }
  }

  private func run(_ load: Load<Value>, _ carried: Carried?, _ ticket: Int?) async {
    if let reading = load.reading { await publishCached(reading, of: load) }
    let elapsed = options.instrumentation.map { _ in options.clock.stopwatch() }
    let error = await tryToLoad(load, carried, ticket)
    let attempts = load.endAttempts()
    guard let instrumentation = options.instrumentation, let elapsed, attempts > 0 else { return }
    let isSuperseded = registry.turn { _ in load.result == nil }
    instrumentation.loaded(
      load.description(of: attempts, registry.source), attempts: attempts, after: elapsed(),
      error: isSuperseded ? CancellationError() : error)
  }

  /// Publishes the value in the cache, if there is one, which may end the load.
  private func publishCached(_ reading: @escaping CacheReading<Value>.Wait, of load: Load<Value>) async {
    switch await limit.run(reading) {
    case .success(let cached?):
      let time = freshSince(age: cached.age)
      decidePrepared { machine, prepared, present in
        machine.find(cached, freshSince: time, of: load.id, prepared, present)
      }
      decide { $0.showLoading(of: load.id, $1) }
    case .failure(let error):
      // The cache has reported its own failures.
      if !(error is CacheFailure) { cache?.report(.read, error) }
    case .success(nil), nil: break
    }
  }

  /// Tries until an attempt succeeds or none is left, and publishes only the final result (5.07).
  ///
  /// Returns the final error, if there is one. `ticket` is for a place of the first attempt.
  private func tryToLoad(_ load: Load<Value>, _ carried: Carried?, _ ticket: Int?) async -> (any Error)? {
    var (failures, ticket) = (0, ticket)
    defer { if let ticket { places?.return(ticket) } }
    while find({ machine, _ in machine.load?.id == load.id }) {
      if let places {
        ticket = ticket ?? places.takeTicket()
        guard let ticket, await places.wait(with: ticket) else { return CancellationError() }
      }
      let number = failures + 1
      let result = await limit.run { [self] in try await attempt(number, load, carried) }
      if let ended = ticket.take() { places?.return(ended) }
      switch result {
      case nil: return CancellationError()
      case .success(let value):
        let time = freshSince()
        decidePrepared { machine, prepared, present in
          machine.succeed(
            with: value, at: time, of: load.id, compares: options.isUnchanged != nil, prepared, present)
        }
        return nil
      case .failure(let error):
        failures += 1
        load.noteFailure(error)
        options.attemptFailed(failures, error)
        if let delay = options.retry.delay(after: failures, error), await limit.pause(for: delay) { continue }
        let time = timeOfFailure
        decide { $0.fail(error, at: time, of: load.id, $1) }
        return error
      }
    }
    return CancellationError()
  }

  /// Calls the loader once, in a task of its own, unless the load has gone on without that.
  private func attempt(_ number: Int, _ load: Load<Value>, _ carried: Carried?) async throws -> Value {
    guard load.beginAttempt(number) else { throw CancellationError() }
    guard let carried else { return try await call(number, load) }
    return try await carried.provide(isolation: nil) { try await call(number, load) }
  }

  private func call(_ attempt: Int, _ load: Load<Value>) async throws -> Value {
    guard let instrumentation = options.instrumentation else {
      return try await loader(load.kind) { serverData?.value }
    }
    let call: @concurrent () async throws -> Value = { [self] in try await loader(load.kind) { serverData?.value } }
    return try await instrumentation.load(load.description(of: attempt, registry.source), call)
  }

  /// The server's data; nil after the end of the manager or its publisher.
  private var serverData: ServerData<Value>? {
    find { machine, present in machine.isOver ? nil : machine.serverData(present) }
  }
}
