#if Redis
  import SubPub

  /// Decides what a mirror shows, from which server it reads, and when it tries again.
  ///
  /// It has no publisher, clock, lock, or task. It is told what has happened and when, and says what has to be done;
  /// ``RedisMirror`` does that.
  struct MirrorMachine {
    struct Settings {
      let key: String
      let endpoints: [RedisEndpoint]
      var pacing: Duration?
      var lagLimit: Duration?
    }

    /// What comes next.
    enum Step {
      case follow(RedisEndpoint, StreamPosition)
      /// All servers have failed so many times.
      case rest(failures: Int, RedisError)
      case fail(RedisError)
    }

    /// What has to be done after the stream can't be followed any more.
    struct Loss {
      /// What the mirror shows; nil if it goes on at once, where a cluster lets the stream be read.
      let error: RedisError?
      /// Whether a connection was lost.
      let wasConnected: Bool
      let next: Step
    }

    /// What follows from what was read.
    struct Result {
      /// Whether that was the first answer of the server.
      var isFirst: Bool
      var showing: Showing?
      var request: StreamRequest?
    }

    /// What has to be shown.
    enum Showing {
      /// An entry, with its data or with the data that was shown before.
      case entry(StreamEntry, hasData: Bool, lag: Duration?)
      /// What was shown last, again.
      case last
      /// That there is no stream.
      case nothing
    }

    let settings: Settings
    private(set) var isRunning = false
    /// Whether the server has answered since the last failure.
    private(set) var isConnected = false
    /// Whether a connection was lost, and the server hasn't answered since.
    private var hasLostConnection = false
    /// The last failure, until the server answers.
    private(set) var error: RedisError?
    private var attempts = Attempts()
    /// Whether the server is a cluster that has refused to let the key be read together with others.
    private var isApart = false
    /// The index of the server that is read from, or tried next, and of the one that was followed last.
    private var (server, followed) = (0, 0)
    /// The last entry that was shown, the index of its server, and whether it could be decoded.
    private var last: (id: EntryID, server: Int, isDecoded: Bool)?
    private var publications = ShownPublications()
    /// How long the last entry took; zero for one that was there when it was asked for.
    private(set) var lag: Duration?
    /// Whether it took too long, which is shown until the server has nothing newer.
    private var isLate = false
    private var counts = RedisStatistics()

    /// The attempts so far.
    private struct Attempts {
      /// When the last one began.
      var start: Moment?
      /// The pauses since a server has answered.
      var pauses = 0
      /// The servers that have failed since the last pause.
      var servers = 0
      /// Why the last one before that pause did.
      var former: RedisError.Reason?
      /// The node to which another one of a cluster has sent the mirror.
      var node: RedisEndpoint?
    }

    init(_ settings: Settings) { self.settings = settings }

    var endpoint: RedisEndpoint { settings.endpoints[server] }

    var statistics: RedisStatistics {
      var statistics = counts
      statistics.lastEntry = last.map { "\($0.id)" }
      return statistics
    }

    func error(_ reason: RedisError.Reason) -> RedisError {
      RedisError(endpoint: endpoint, key: settings.key, reason: reason)
    }
  }

  /// The servers.
  extension MirrorMachine {
    /// Begins a run; returns nil if there is one already.
    mutating func start(at now: Moment) -> Step? {
      if isRunning { return nil }
      (isRunning, attempts) = (true, Attempts())
      return follow(at: now)
    }

    /// Ends the run; returns whether there was a connection.
    mutating func stop() -> Bool {
      defer { (isRunning, isConnected) = (false, false) }
      return isConnected
    }

    /// The pause is over.
    mutating func follow(at now: Moment) -> Step {
      attempts.start = now
      if followed != server { publications.note(isBehind: false) }
      followed = server
      return .follow(place, position)
    }

    /// Where the stream is read.
    private var place: RedisEndpoint {
      let server = attempts.node ?? endpoint
      return isApart ? server.apart(for: settings.key) : server
    }

    private var position: StreamPosition {
      guard let last else { return .newest }
      if last.server == server { return .after(last.id) }
      if publications.newest != nil { return .afterPublications(publications) }
      // Without identifiers, all servers count as replicas of one, unless somebody else has written that.
      return last.isDecoded ? .after(last.id) : .newest
    }

    /// The stream can't be followed any more.
    mutating func lost(_ reason: RedisError.Reason, at now: Moment) -> Loss {
      let (error, wasConnected) = (error(reason), isConnected)
      isConnected = false
      let time = attempts.start?.duration(to: now) ?? .zero
      let hasWorked = wasConnected && time >= max(.seconds(1), endpoint.replyTimeout)
      if hasWorked { attempts.servers = 0 }
      if wasConnected { attempts.pauses = 0 }
      // A server that lets the last entry be read, and no others, has answered.
      if hasWorked || wasConnected && !reason.isForbidden { attempts.former = nil }
      if let place = otherPlace(after: reason) {
        attempts.start = now
        return Loss(error: nil, wasConnected: wasConnected, next: .follow(place, position))
      }
      attempts.node = nil
      server = (server + 1) % settings.endpoints.count
      // A server that refuses everything from the start has made no connection that could be lost.
      (self.error, hasLostConnection) = (error, hasLostConnection || wasConnected)
      attempts.servers += 1
      let next = attempts.servers < settings.endpoints.count ? follow(at: now) : rest(after: reason, error)
      return Loss(error: error, wasConnected: wasConnected, next: next)
    }

    /// Where a cluster lets the stream be read; nil if the reason says nothing new about that.
    private mutating func otherPlace(after reason: RedisError.Reason) -> RedisEndpoint? {
      if reason.isCrossSlot, !isApart {
        isApart = true
      } else if attempts.node == nil, let node = reason.node(of: endpoint) {
        attempts.node = node
      } else {
        return nil
      }
      return place
    }

    private mutating func rest(after reason: RedisError.Reason, _ error: RedisError) -> Step {
      attempts.servers = 0
      attempts.pauses += 1
      // The server also refuses what was damaged on the way: only a refusal that is repeated counts.
      guard reason.isPassing || reason != attempts.former else { return .fail(error) }
      attempts.former = reason
      return .rest(failures: attempts.pauses, error)
    }
  }

  /// What is shown.
  extension MirrorMachine {
    /// Something was read.
    ///
    /// An entry may have waited for as long as the pace before it was read.
    mutating func received(_ event: StreamEvent, at now: Moment, wallClock: Int64) -> Result {
      // Even if nothing is shown, the server has answered.
      var result = Result(isFirst: !isConnected, showing: isConnected ? nil : .last)
      noteAnswer()
      switch event {
      case .empty: result.showing = .nothing
      case .unchanged: result.showing = .last
      case .current(let entry): show(entry, lag: .zero, at: now, &result)
      case .entry(let entry):
        let lag = entry.sent.map { max(.zero, $0.milliseconds(until: wallClock) - (settings.pacing ?? .zero)) }
        show(entry, lag: lag, at: now, &result)
      case .behind(let entry):
        publications.note(isBehind: true)
        result.showing = .last
        if let entry { show(entry, lag: .zero, at: now, &result) }
      case .caughtUp, .checked:
        if case .caughtUp = event, isLate { (isLate, result.showing) = (false, .last) }
        result.request = publications.request(at: now)
      }
      return result
    }

    /// Lets an entry be shown if it may be.
    private mutating func show(_ entry: StreamEntry, lag: Duration?, at now: Moment, _ result: inout Result) {
      if hasShown(entry.id) { return }
      switch publications.verdict(on: entry, at: now) {
      case .shows: result.showing = .entry(entry, hasData: true, lag: lag)
      case .showsWithoutData: result.showing = .entry(entry, hasData: false, lag: lag)
      case .waits: result.request = publications.request(at: now)
      case .isOlder: break
      }
    }

    /// Notes that an entry is shown, with its data or without it, or can't be decoded; returns an error if it has taken
    /// too long.
    mutating func note(_ entry: StreamEntry, isDecoded: Bool, hasData: Bool, lag: Duration?) -> RedisError? {
      self.lag = lag
      var missed = publications.note(entry, hasData: isDecoded && hasData)
      // The stream knows best what it has skipped.
      if let last, last.server == server {
        missed = last.id.epoch == entry.id.epoch && last.id < entry.id ? entry.id.version - last.id.version - 1 : 0
      }
      let (sum, overflows) = counts.skipped.addingReportingOverflow(Int(clamping: missed))
      counts.skipped = overflows ? .max : sum
      counts.entries += 1
      counts.undecodable += isDecoded ? 0 : 1
      last = (entry.id, server, isDecoded)
      isLate = false
      guard isDecoded, let lag, let limit = settings.lagLimit, lag > limit else { return nil }
      isLate = true
      return error(.behind(lag, limit: limit))
    }

    private mutating func noteAnswer() {
      counts.reconnects += hasLostConnection ? 1 : 0
      (isConnected, hasLostConnection, error) = (true, false, nil)
    }

    /// Whether this entry was shown before: an outlet writes its last one again if the server has lost it.
    ///
    /// An entry with a smaller epoch comes from an outlet that has begun anew: one that was superseded never writes
    /// again (8.08).
    private func hasShown(_ id: EntryID) -> Bool {
      last.map { $0.server == server && $0.id.epoch == id.epoch && id <= $0.id } ?? false
    }
  }
#endif
