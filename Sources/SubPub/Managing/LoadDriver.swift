/// The driver of a manager's loads and edits.
typealias LoadDriver<Value: Sendable> = ManagerDriver<Value, LoadMachine<Value>>

extension ManagerDriver where Machine == LoadMachine<Value> {
  convenience init(
    _ publisher: Publisher<Value>, _ options: LoadingOptions<Value>,
    _ load: @escaping LoadMachine<Value>.Load
  ) {
    guard options.errorStaleAfter >= .zero else {
      stopForMisuse(
        "errorStaleAfter is \(options.errorStaleAfter), but no error is younger than that: give zero or more")
    }
    guard (0...1).contains(options.staleJitter) else {
      stopForMisuse(
        "staleJitter is \(options.staleJitter), but it is a fraction of staleAfter: give a number from 0 to 1")
    }
    let rules = LoadMachine<Value>.Rules(
      staleAfter: options.staleAfter, jitter: publisher.freshness?.jitter, errorStaleAfter: options.errorStaleAfter,
      isQuiet: options.refreshes == .quiet, sendsOneAtATime: options.sends == .oneAtATime)
    self.init(
      publisher, options, LoadMachine(rules), measures: options.errorStaleAfter > .zero,
      Tasks { driver, run in LoadRun.start(run, load, driver) })
  }

  /// Lets loads begin with the permits of a family, which may be none; does nothing if the manager has a family.
  func join(_ permits: Permits?) { registry.turn { _ in owner.family = owner.family ?? .some(permits) } }
}

/// The operations of managers.
extension ManagerDriver where Machine == LoadMachine<Value> {
  /// A caller of a load.
  struct Wait {
    let waiter: WaiterID
    /// Whether to ask again after this load.
    let isForNext: Bool
    let load: Run<Value>
  }

  /// Loads the whole value, or joins the active load, and waits for the result (5.03 to 5.05).
  ///
  /// With a number of logouts, does nothing after another one.
  /// Returns nil if there is no result.
  func load(joins: Bool = true, ifLogoutsAre logouts: Int? = nil) async -> LoadState<Value>? {
    guard !Task.isCancelled else { return nil }
    let request = LoadRequest(kind: .whole, joins: joins, logouts: logouts)
    guard let wait = ask({ $0.ask(for: request, by: $1, $2) }) else { return nil }
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
      let wait = ask { machine, caller, present in
        if !machine.joins(request), let list = present.state.value, isPointless(list, refreshed) {
          return (Step(), .nothing)
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
    decide { machine, present in machine.askIfNeeded(accepting: accepted, now: now, present).0 }
  }

  /// Returns the current value if it is younger than `maxAge`, and otherwise the result of a load.
  func value(maxAge: Duration?) async throws -> Value {
    if let maxAge, maxAge < .zero {
      stopForMisuse("maxAge is \(maxAge), but no data is younger than that: give zero or more")
    }
    if maxAge != nil { measureAges() }
    let accepted = accepted(maxAge)
    while true {
      try Task.checkCancellation()
      let now = now(for: maxAge)
      var (fresh, failure) = (Value?.none, (any Error)?.none)
      let wait = ask { machine, caller, present in
        let (step, answer) = machine.askForValue(
          maxAge: maxAge, accepting: accepted, now: now, by: caller, present)
        switch answer {
        case .fresh: fresh = present.state.value
        case .failed: failure = present.state.error
        case .load(let answer): return (step, answer)
        }
        return (step, .nothing)
      }
      if let fresh { return fresh }
      if let failure { throw failure }
      if let wait, let result = await result(of: wait) { return try result.get() }
      try Task.checkCancellation()
      let (isLoading, isOver, state) = find { ($0.load != nil, $0.isOver, $1.state) }
      if isOver, state.phase == .unknown || state.phase == .loading { throw PublisherEnded(source: registry.source) }
      // Unless another load has taken the place of this one.
      if !isLoading { return try state.get() }
    }
  }

  /// Publishes a value and writes it to the cache (5.16).
  func set(_ value: Value) {
    let data = ServerData(value, Provenance(.published, freshSince: freshSince()))
    decide { $0.set(data, $1) }
  }

  /// Ends the active load, and publishes the state from before it.
  func cancel() { decide { $0.rollBack($1) } }

  /// Reads the cache, in the order of its operations.
  func cachedValue() async throws -> Cached<Value>? {
    try Task.checkCancellation()
    guard let cache else { return nil }
    let result = await cache.read { reading in
      cache.queue.run(on: limit.executor)
      return await limit.run { try await reading.wait()?.get() }
    }
    guard let result else { throw CancellationError() }
    return try result.get()
  }

  /// Asks for a load in one turn; returns what there is to wait for, and nil if there is nothing to load.
  @inline(never)
  private func ask(_ body: (inout Machine, WaiterID, Present) -> (Step, LoadAnswer)) -> Wait? {
    var (waiter, answer) = (WaiterID?.none, LoadAnswer.nothing)
    let load = decideInTurn { machine, present, turn, effects in
      let new = turn.waiters.add(missing: 1)
      let (step, found) = body(&machine, new, present)
      if found == .nothing { effects.resume(turn.waiters.remove(new)) } else { waiter = new }
      answer = found
      return step
    }
    guard let load, let waiter else { return nil }
    return Wait(waiter: waiter, isForNext: answer == .next, load: load)
  }

  /// Waits for the end of a load, and returns the state that it has ended with.
  ///
  /// Returns nil if the load was superseded, or if this task is cancelled.
  private func result(of wait: Wait) async -> LoadState<Value>? {
    await self.wait(for: wait.waiter) { machine, present in machine.leave(wait.waiter, present) }
    return registry.turn { _ in wait.load.result }?.state
  }

  /// The time on the manager's clock; nil if nobody wants to know an age, so that the clock isn't read (5.06).
  private func now(for maxAge: Duration? = nil) -> Duration? {
    let matters = maxAge != nil || options.staleAfter != nil || options.errorStaleAfter > .zero
    return matters ? freshness?.start() : nil
  }

  /// Which cached value makes a load unnecessary.
  private func accepted(_ maxAge: Duration? = nil) -> AcceptedValue {
    options.cachePolicy == .alwaysLoad ? .none : maxAge.map(AcceptedValue.youngerThan) ?? .fresh
  }
}
