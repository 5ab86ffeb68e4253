#if Redis
  import SubPub

  /// Decides how the streams of one server are read, for all mirrors of the process that have its endpoint.
  ///
  /// It has no connection, clock, lock, or task. It is told what has happened and when, and says what has to be done;
  /// `StreamReader` does that.
  ///
  /// `XREAD` waits until one of the streams has a new entry, and occupies a connection; another one waits for the
  /// streams that this wait misses. Everything else is asked over a third one, one inquiry after the other.
  ///
  /// It uses closures in place of key paths, which a generic type makes at run time, each time anew.
  struct ReaderMachine<Follower: Hashable & Sendable> {
    /// A follower that doesn't know yet where its stream stands.
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

    let replyTimeout: Duration
    var connections = [Connection](repeating: Connection(), count: ReadingLine.allCases.count)
    var lastNumber = 0
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

    init(replyTimeout: Duration, at now: Moment) {
      (self.replyTimeout, checks) = (replyTimeout, Checks(next: now + replyTimeout))
    }

    /// When `timeHasCome` is to be called; nil if nothing is due before something else happens.
    var nextTime: Moment? {
      inquiry != nil || isIdle ? nil : min(checks.next, paced.next ?? checks.next)
    }

    /// Returns what has to be done, in this order.
    mutating func takeActions() -> [Action] {
      defer { actions = [] }
      return actions
    }

    mutating func act(_ action: Action) {
      if case .end(let follower, _) = action { checks.waiting.remove(follower) }
      actions.append(action)
    }

    var isIdle: Bool { newcomers.isEmpty && arrivals.isEmpty && streams.isEmpty && paced.isEmpty }
  }

  /// What happens.
  extension ReaderMachine {
    /// Adds and removes followers.
    mutating func change(
      adding added: [Newcomer] = [], removing removed: [(follower: Follower, key: [UInt8])] = [], at now: Moment
    ) {
      newcomers += added
      if !removed.isEmpty {
        let gone = Set(removed.map { $0.follower })
        newcomers.removeAll { gone.contains($0.follower) }
        arrivals.remove(gone)
        paced.remove(gone)
        checks.waiting.subtract(gone)
        for key in streams.remove(gone, of: Array(Set(removed.map { $0.key }))) { forget(key) }
      }
      proceed(at: now)
    }

    /// A follower has a request in answer to what was passed to it.
    mutating func receive(_ request: StreamRequest, of follower: Follower, to key: [UInt8], at now: Moment) {
      switch request {
      case .check(let time):
        // It may also have ended since.
        if streams[key]?.all.contains(follower) ?? false {
          checks.next = min(checks.next, time)
          checks.waiting.insert(follower)
        } else {
          paced.look(follower, by: time)
        }
      case .entries(let place):
        if streams[key]?.move(follower, to: place) ?? false {
          noteMissed(key, isBehind: true, at: now)
        } else {
          paced.move(follower, to: place, at: now)
        }
        proceed(at: now)
      }
    }

    mutating func connected(_ number: Int, at now: Moment) {
      guard let line = line(of: number) else { return act(.close(number)) }
      self[line].phase = .open
      if let message = self[line].message { act(.send(message, over: number)) }
      proceed(at: now)
    }

    mutating func cannotConnect(_ reason: RedisError.Reason, _ number: Int, at now: Moment) {
      guard let line = line(of: number) else { return }
      self[line].phase = .closed
      fail(reason)
      proceed(at: now)
    }

    mutating func received(_ replies: [RedisReply], over number: Int, at now: Moment) {
      var rest = replies[...]
      while let line = line(of: number), let reply = rest.first {
        self[line].hasAnswered = true
        if let wait = self[line].wait {
          rest.removeFirst()
          (self[line].wait, self[line].message) = (nil, nil)
          receive(reply, to: wait, over: line, at: now)
        } else {
          guard let isComplete = inquiry?.take(&rest, over: line) else { break }
          if isComplete { receiveInquiry(at: now) }
        }
      }
      proceed(at: now)
    }

    /// A connection is lost, perhaps because the server has closed it, or because a reply kept arriving for too long.
    mutating func lost(
      _ reason: RedisError.Reason, isClosed: Bool, isTooSlow: Bool, over number: Int, at now: Moment
    ) {
      guard let line = line(of: number) else { return }
      self[line].phase = .closed
      guard self[line].message != nil else { return }
      // The server may have closed it before it saw what was asked.
      if line == .asking, isClosed, self[line].hasAnswered, inquiry?.arrived.isEmpty ?? true { return connect(line) }
      if isTooSlow {
        noteTooSlow(line)
        if endSlowInquiry(over: line, reason) { return proceed(at: now) }
      }
      // It may have said why.
      let said = inquiry?.line == line ? inquiry?.arrived.last?.refusal : nil
      fail(said.map { .refused($0) } ?? reason)
      proceed(at: now)
    }

    mutating func timeHasCome(at now: Moment) { proceed(at: now) }

    /// Does what is due.
    private mutating func proceed(at now: Moment) {
      if isIdle { return reset() }
      if inquiry == nil { beginInquiry(at: now) }
      requestEntries(at: now)
    }
  }
#endif
