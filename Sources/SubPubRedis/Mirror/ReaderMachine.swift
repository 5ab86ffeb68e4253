#if Redis
  import SubPub

  /// Decides how the streams of one server are read, for all mirrors of the process that have its endpoint.
  ///
  /// It has no connection, clock, lock, or task. It is told what has happened and when, and says what has to be done;
  /// `StreamReader` does that.
  ///
  /// `XREAD` waits until one of the streams has a new entry, and occupies a connection; another one waits for the
  /// streams that this wait misses. Everything else is asked over a third one, one inquiry after the other.
  struct ReaderMachine<Follower: Hashable & Sendable> {
    typealias Instant = ContinuousClock.Instant

    /// Somebody who is to be told what is in a stream.
    struct Newcomer {
      let follower: Follower
      let key: [UInt8]
      /// How often the newest entry is read; nil if every entry is.
      let pacing: Duration?
      var position: StreamPosition
    }

    /// What has to be done; connections have numbers.
    enum Action {
      case connect(Int)
      case send(Message, over: Int)
      case close(Int)
      case pass(StreamEvent, Follower)
      case passEntries(ArraySlice<StreamEntry>, Follower)
      /// The follower can't follow its stream any more.
      case end(Follower, RedisError.Reason)
    }

    /// Commands, encoded.
    struct Message {
      let bytes: [UInt8]
      let replyCount: Int
      let limit: TimeLimit
    }

    /// A connection, and what is asked over it.
    struct Connection {
      enum Phase {
        case none, connecting, open
        /// The server has closed it while nothing was asked. Another one is made when it is needed.
        case closed
      }

      /// What `XREAD` waits for.
      struct Wait {
        /// How many entries of a stream were asked for.
        let count: Int
        let keys: [[UInt8]]
      }

      fileprivate(set) var phase = Phase.none
      fileprivate var number = 0
      /// Whether the server has answered over it.
      fileprivate var hasAnswered = false
      /// What is to be answered.
      fileprivate(set) var message: Message?
      var wait: Wait?
      var batch = BatchSize()
    }

    let replyTimeout: Duration
    private var connections = [Connection](repeating: Connection(), count: ReadingLine.allCases.count)
    private var lastNumber = 0
    /// Followers that are still to be told where their streams stand.
    var newcomers: [Newcomer] = []
    /// Those that are being told.
    var arrivals = Arrivals()
    var streams = FollowedStreams<Follower>()
    var lively = LivelyStreams()
    var paced = PacedStreams<Follower>()
    /// What is asked for; nil if nothing is.
    var inquiry: Inquiry?
    /// How many streams are asked for their last entries at a time.
    var asked = BatchSize()
    var slow = SlowStreams()
    /// The streams that had new entries when they were asked for last.
    var changed: Set<[UInt8]> = []
    var checks: Checks
    /// The server's time when it was asked last, in milliseconds; 0 if the user may not ask for it.
    var serverTime: UInt64 = 0
    private var actions: [Action] = []

    init(replyTimeout: Duration, at now: Instant) {
      (self.replyTimeout, checks) = (replyTimeout, Checks(next: now + replyTimeout))
    }

    /// When `timeHasCome` is to be called; nil if nothing is due before something else happens.
    var nextTime: Instant? {
      inquiry != nil || isIdle ? nil : min(checks.next, paced.next ?? checks.next)
    }

    /// Returns what has to be done, in this order.
    mutating func takeActions() -> [Action] {
      defer { actions = [] }
      return actions
    }

    mutating func act(_ action: Action) { actions.append(action) }

    var isIdle: Bool { newcomers.isEmpty && arrivals.isEmpty && streams.isEmpty && paced.isEmpty }
  }

  /// What a connection is used for.
  ///
  /// Behind a balanced address, each may lead to another server.
  enum ReadingLine: Int, CaseIterable {
    /// Waits for entries of the streams of which nothing is expected.
    case resting
    /// Waits for those of a few others, again and again.
    case lively
    /// Asks for everything else.
    case asking
  }

  /// What happens.
  extension ReaderMachine {
    /// Some begin to follow streams, and others want to know nothing any more.
    mutating func change(
      adding added: [Newcomer] = [], removing removed: [(follower: Follower, key: [UInt8])] = [], at now: Instant
    ) {
      newcomers += added
      if !removed.isEmpty {
        let gone = Set(removed.map(\.follower))
        newcomers.removeAll { gone.contains($0.follower) }
        arrivals.remove(gone)
        paced.remove(gone)
        for key in streams.remove(gone, of: Array(Set(removed.map(\.key)))) { lively.remove(key) }
      }
      proceed(at: now)
    }

    mutating func connected(_ number: Int, at now: Instant) {
      guard let line = line(of: number) else { return act(.close(number)) }
      self[line].phase = .open
      if let message = self[line].message { act(.send(message, over: number)) }
      proceed(at: now)
    }

    mutating func cannotConnect(_ reason: RedisError.Reason, _ number: Int, at now: Instant) {
      guard line(of: number) != nil else { return }
      fail(reason)
      proceed(at: now)
    }

    mutating func received(_ replies: [RedisReply], over number: Int, at now: Instant) {
      for reply in replies {
        guard let line = line(of: number) else { break }
        self[line].hasAnswered = true
        if let wait = self[line].wait {
          (self[line].wait, self[line].message) = (nil, nil)
          receive(reply, to: wait, over: line, at: now)
        } else if inquiry?.line == line {
          receive(reply, at: now)
        }
      }
      proceed(at: now)
    }

    /// A connection is lost, perhaps because the server has closed it, or because a reply kept arriving for too long.
    mutating func lost(
      _ reason: RedisError.Reason, isClosed: Bool, isTooSlow: Bool, over number: Int, at now: Instant
    ) {
      guard let line = line(of: number) else { return }
      guard self[line].message != nil else { return self[line].phase = .closed }
      // The server may have closed it before it saw what was asked.
      if line == .asking, isClosed, self[line].hasAnswered, inquiry?.arrived.isEmpty ?? true { return connect(line) }
      if isTooSlow { noteTooSlow(line) }
      // It may have said why.
      let said = inquiry?.line == line ? inquiry?.arrived.last?.refusal : nil
      fail(said.map { .refused($0) } ?? reason)
      proceed(at: now)
    }

    mutating func timeHasCome(at now: Instant) { proceed(at: now) }

    /// Does what is due.
    private mutating func proceed(at now: Instant) {
      if isIdle { return reset() }
      if inquiry == nil { beginInquiry(at: now) }
      requestEntries(at: now)
    }
  }

  /// The connections.
  extension ReaderMachine {
    subscript(line: ReadingLine) -> Connection {
      get { connections[line.rawValue] }
      _modify { yield &connections[line.rawValue] }
    }

    /// Whether there is no connection, and none is being made.
    var isDisconnected: Bool { ReadingLine.allCases.allSatisfy { self[$0].phase == .none } }

    private func line(of number: Int) -> ReadingLine? {
      ReadingLine.allCases.first {
        self[$0].number == number && (self[$0].phase == .connecting || self[$0].phase == .open)
      }
    }

    /// Sends something as soon as there is a connection.
    mutating func send(_ message: Message, over line: ReadingLine) {
      self[line].message = message
      switch self[line].phase {
      case .open: act(.send(message, over: self[line].number))
      case .connecting: break
      case .none, .closed: connect(line)
      }
    }

    private mutating func connect(_ line: ReadingLine) {
      lastNumber += 1
      (self[line].phase, self[line].number, self[line].hasAnswered) = (.connecting, lastNumber, false)
      act(.connect(lastNumber))
    }

    /// Lets what is asked next have a new connection.
    mutating func close(_ line: ReadingLine) {
      if self[line].phase == .connecting || self[line].phase == .open { act(.close(self[line].number)) }
      (self[line].phase, self[line].message, self[line].wait) = (.none, nil, nil)
    }

    /// The inquiry is answered.
    mutating func endInquiry() {
      if let line = inquiry?.line { self[line].message = nil }
      inquiry = nil
    }

    private mutating func noteTooSlow(_ line: ReadingLine) {
      if let wait = self[line].wait {
        self[line].batch.noteTooSlow()
        slow.noteLoss(wait.keys)
        self[line].wait = nil
      } else if case .entry = inquiry?.purpose, let arrival = arrivals.first {
        slow.noteSlowEntry(of: arrival.newcomer.key)
      }
    }

    /// Ends all followers but those that have just come.
    mutating func fail(_ reason: RedisError.Reason) {
      for follower in arrivals.followers + streams.followers + paced.followers { act(.end(follower, reason)) }
      if let inquiry, inquiry.mayBeLarge { asked.shrink() }
      for line in ReadingLine.allCases where self[line].wait != nil { self[line].batch.noteLostConnection() }
      reset()
    }

    private mutating func reset() {
      for line in ReadingLine.allCases { close(line) }
      (inquiry, arrivals, streams, paced, lively) = (
        nil, Arrivals(), FollowedStreams(), PacedStreams(), LivelyStreams()
      )
      (changed, checks.rest, checks.refusal) = ([], nil, nil)
    }
  }
#endif
