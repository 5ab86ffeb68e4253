#if Redis
  import SubPub

  /// The writing task.
  extension OutletRun {
    func writeStates() async {
      if case .standby = outlet.role { await waitForLease() }
      if await mayTake(), let states = state.withLock(\.states) { await write(states) }
      driver.change { $0.noteAllTaken(at: $1) }
      while !state.withLock(\.hasEnded) { await wake.wait() }
    }

    private func write(_ iterator: States) async {
      var states = iterator  // All copies of an iterator are one.
      let (token, last) = driver.state.withLock { ($0.machine.token, $0.machine.inherited.take()) }
      guard let token else { return }
      var encoder = EntryEncoder(outlet.coder, outlet.endpoint, key: outlet.key)
      encoder.begin(after: last)
      while !driver.state.withLock(\.machine.hasTakenAll), let publication = await states.next() {
        makeEntries(of: publication, followedBy: states, by: &encoder, token: token)
        guard await mayTake() else { return }
      }
    }

    /// Makes entries of a state and of those that are pending, until there is enough to be sent at once.
    private func makeEntries(
      of first: Publication<Value>, followedBy states: States, by encoder: inout EntryEncoder<Value>, token: UInt64
    ) {
      let end = Moment.now + .milliseconds(10)
      var next = Optional(first)
      while let publication = next {
        driver.state.withLock { $0.machine.taken(publication.version, at: .now) }
        let now = Int64.millisecondsNow
        let entry = encoder.entry(for: published(publication, at: now), token: token, at: now)
        let isEnough = driver.state.withLock { $0.machine.append(entry) || $0.machine.hasTakenAll }
        if isEnough || .now >= end { return }
        next = states.takePending()
      }
    }

    private func published(_ publication: Publication<Value>, at now: Int64) -> PublishedState<Value> {
      let state = publication.state
      let age = state.value == nil ? nil : outlet.publisher.age(of: publication)
      return PublishedState(
        state: state, origin: publication.origin, since: age.map { now - Int64(min($0 / .milliseconds(1), 1e15)) },
        id: publication.id, isDataInherited: publication.isDataInherited, version: publication.version)
    }

    /// Lets the entries be sent, and waits until there is room for more; returns false if the run is over.
    private func mayTake() async -> Bool {
      while true {
        let (mayTake, isOver) = driver.change { machine, now in (machine.flush(at: now), machine.isOver) }
        if isOver { return false }
        if mayTake { return true }
        await wake.wait()
      }
    }
  }

  /// Standing by.
  extension OutletRun {
    /// Waits until the outlet has the lease, or the run is over; its publisher's end ends it, too.
    private func waitForLease() async {
      var idle = outlet.publisher.states(buffering: .latest).makeAsyncIterator()
      state.withLock { [idle] in $0.idle = idle }
      while isIdle, await idle.next() != nil {}
      state.withLock { $0.idle = nil }
      if isIdle { driver.change { machine, _ in machine.end(nil) } }
    }

    private var isIdle: Bool { state.withLock { $0.states == nil } && !driver.state.withLock(\.machine.isOver) }

    /// Begins to take states.
    func subscribe() {
      // The unconfirmed entries come on top of these; with the next connection, the oldest of all are dropped.
      let states = outlet.publisher.publications(buffering: .newest(outlet.maxLength)).makeAsyncIterator()
      let subscription = states.subscription
      driver.state.withLock { $0.machine.demand.pending = { subscription.statistics.pending } }
      let idle = state.withLock { state in
        state.states = states
        return state.idle
      }
      idle?.subscription.cancel()
    }

    /// Takes no further states.
    ///
    /// What is pending then wasn't skipped by this run, so it isn't counted.
    func endStates() {
      let (states, idle) = state.withLock { ($0.states, $0.idle) }
      idle?.subscription.cancel()
      guard let states else { return }
      let skipped = states.statistics.skipped
      state.withLock { $0.skipped = $0.skipped ?? skipped }
      states.subscription.cancel()
    }
  }

  /// The end.
  extension OutletRun {
    /// Lets the run end when everything is written that was accepted before, or after the timeout.
    func cancel() {
      var (version, count, tries): (UInt64, Int, Int)
      tries = 0
      repeat {
        version = outlet.publisher.current.version
        // A publisher that hasn't published anything has nothing to write.
        count = version == 0 ? 0 : acceptedCount
        tries += 1
      } while outlet.publisher.current.version != version && tries < 1_000
      let hasTakenAll = driver.change { [version, count] machine, _ in
        machine.cancel(upTo: version, count: count)
        return machine.hasTakenAll
      }
      // Then the writing task waits for a state that needn't be written.
      if hasTakenAll { endStates() }
      pause(.giveUp, for: outlet.endpoint.replyTimeout) { $0.giveUp() }
    }

    /// How many states the run has to write, or has written: those that its subscription was given, and hasn't skipped.
    private var acceptedCount: Int {
      guard let states = state.withLock(\.states) else { return 0 }
      let hasTakenInitial = driver.state.withLock(\.machine.demand.hasTakenInitial)
      let (subscription, statistics) = (states.subscription, states.statistics)
      // Before its first state, the publisher has nothing to write. It is the first to be skipped.
      let hasNothing = subscription.firstVersion == 0 && (hasTakenInitial || statistics.skipped == 0)
      // Taking one doesn't change the sum.
      return statistics.delivered + statistics.pending - (hasNothing ? 1 : 0)
    }
  }

  /// What others see.
  extension OutletRun: OutletRunStatus {
    var statistics: RedisStatistics {
      var statistics = driver.state.withLock(\.machine.statistics)
      let (states, skipped) = state.withLock { ($0.states, $0.skipped) }
      statistics.skipped += skipped ?? states?.statistics.skipped ?? 0
      return statistics
    }

    var status: OutletStatus {
      let machine = driver.state.withLock(\.machine)
      let (error, takesStates) = state.withLock { ($0.error, $0.skipped == nil) }
      // A state that is just being taken counts once.
      let pending = takesStates ? max(0, acceptedCount - machine.finishedCount) : machine.unconfirmedCount
      return OutletStatus(
        isWriting: machine.isWriting, isWaiting: machine.isWaiting, pending: pending,
        unconfirmedSince: machine.unconfirmedSince, error: error.map { "\($0)" })
    }
  }
#endif
