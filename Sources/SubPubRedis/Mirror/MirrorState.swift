#if Redis
  import Foundation
  import SubPub

  /// The state of a mirror, apart from its publisher's.
  struct MirrorState {
    var isRunning = false
    /// The index of the server that is read from.
    var endpoint = 0
    /// The last entry that was shown, and the index of its server.
    private(set) var last: (id: EntryID, server: Int)?
    var shown = ShownPublications()
    /// The index of the server that was followed last.
    private var followed = 0
    /// Whether the server has answered since the last failure.
    var hasAnswered = false
    /// Whether a connection was lost, and the server hasn't answered since.
    var hasLostConnection = false
    /// That failure.
    var error: RedisError?
    /// When the server that is read from has answered last, and the one before it.
    var contacts: [LastContact] = []
    /// How long the last entry took; zero for one that was there when it was asked for.
    var lag: Duration?
    var statistics = RedisStatistics()
    /// The wait before the next attempt to connect.
    var pause: Task<Void, any Error>?

    /// Begins to follow the stream, or goes on; returns where.
    mutating func beginFollowing() -> StreamPosition {
      if followed != endpoint { shown.noteCurrent() }
      followed = endpoint
      guard let last else { return .newest }
      // Without identifiers, all servers count as replicas of one.
      return last.server == endpoint || shown.newest == nil ? .after(last.id) : .afterPublications(shown)
    }

    /// Whether an outlet has written an entry again because the server had lost it.
    ///
    /// An entry with a smaller epoch comes from an outlet that has begun anew: one that was superseded never writes
    /// again (8.08).
    private func hasShown(_ id: EntryID) -> Bool {
      last.map { $0.server == endpoint && $0.id.epoch == id.epoch && id <= $0.id } ?? false
    }

    /// Returns what to show of an event, and how.
    mutating func takeEntry(
      of event: StreamEvent, at now: ContinuousClock.Instant
    ) -> (entry: StreamEntry, verdict: ShownPublications.Verdict)? {
      switch event {
      case .current(let entry), .entry(let entry):
        return hasShown(entry.id) ? nil : (entry, shown.verdict(on: entry, at: now))
      case .behind(let entry):
        shown.noteBehind(at: now)
        return entry.map { ($0, shown.verdict(on: $0, at: now)) }
      case .caughtUp, .checked: return shown.takeWaiting(at: now)
      case .empty, .unchanged: return nil
      }
    }

    /// Notes a failure; a server that refuses everything from the start has made no connection that could be lost.
    mutating func noteFailure(_ error: RedisError, isLoss: Bool) {
      hasLostConnection = hasLostConnection || isLoss
      self.error = error
    }

    mutating func note(_ entry: StreamEntry, isDecoded: Bool, _ lag: Duration?) {
      self.lag = lag
      var missed = shown.note(entry)
      // The stream knows best what it has skipped.
      if let last, last.server == endpoint {
        missed = last.id.epoch == entry.id.epoch && last.id < entry.id ? entry.id.version - last.id.version - 1 : 0
      }
      let (sum, overflows) = statistics.skipped.addingReportingOverflow(Int(clamping: missed))
      statistics.skipped = overflows ? .max : sum
      statistics.entries += 1
      statistics.undecodable += isDecoded ? 0 : 1
      last = (entry.id, endpoint)
      noteAnswer()
    }

    mutating func noteAnswer() {
      statistics.reconnects += hasLostConnection ? 1 : 0
      (hasAnswered, hasLostConnection, error) = (true, false, nil)
    }
  }

  /// What an entry says about the state, and about its data.
  struct EntryState<Value: Sendable>: Sendable {
    private(set) var state = LoadState<Value>.unknown
    private(set) var origin: DataOrigin?
    /// When the data was new, in milliseconds since 1970.
    private(set) var since: Int64?
    /// The identifier in the publishing process; nil for what only the mirror says.
    private(set) var id: PublicationID?

    /// No entry.
    init() {}

    init(_ state: LoadState<Value>, of entry: StreamEntry) {
      self.state = state
      if state.value != nil { origin = entry.dataOrigin }
      (since, id) = (entry.since, entry.publication)
    }

    /// The same phase with the data of another entry.
    func withData(of other: Self) -> Self {
      var result = other
      switch state {
      case .loading: (result.state, result.id) = (.loading(previous: other.state.value), id)
      case .error(let error, _): (result.state, result.id) = (.error(error, previous: other.state.value), id)
      case .unknown, .loaded: break
      }
      return result
    }

    /// An error of the mirror, with the same data.
    func failed(_ error: RedisError) -> Self {
      var failed = self
      (failed.state, failed.id) = (.error(error, previous: state.value), nil)
      return failed
    }
  }

  extension Duration {
    /// The time since a moment in milliseconds since 1970, which anybody may have written (8.05).
    init(sinceMilliseconds since: Int64) {
      let (age, overflows) = Int64(Date().timeIntervalSince1970 * 1_000).subtractingReportingOverflow(since)
      self = .milliseconds(overflows ? .max : max(0, age))
    }
  }
#endif
