#if Redis
  import SubPub

  /// What a connection is used for.
  ///
  /// Behind a balanced address, each may lead to another server.
  enum ReadingLine: Int, CaseIterable {
    /// Waits long, for the entries of all streams that aren't lively.
    case resting
    /// Waits shortly, again and again, for those of a few others.
    case lively
    /// Asks for everything else.
    case asking
  }

  /// The connections.
  extension ReaderMachine {
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

      var phase = Phase.none
      var number = 0
      /// Whether the server has answered over it.
      var hasAnswered = false
      /// What is to be answered.
      var message: Message?
      var wait: Wait?
      var batch = BatchSize()
      /// Whether the next wait is for entries of a stream that has some.
      var isBehind = false
    }

    subscript(line: ReadingLine) -> Connection {
      get { connections[line.rawValue] }
      _modify { yield &connections[line.rawValue] }
    }

    /// Whether no connection was used since the last reset.
    var isUnused: Bool { ReadingLine.allCases.allSatisfy { self[$0].phase == .none } }

    func line(of number: Int) -> ReadingLine? {
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

    mutating func connect(_ line: ReadingLine) {
      lastNumber += 1
      (self[line].phase, self[line].number, self[line].hasAnswered) = (.connecting, lastNumber, false)
      act(.connect(lastNumber))
    }

    /// Closes a connection; the next request makes a new one.
    mutating func close(_ line: ReadingLine) {
      if self[line].phase == .connecting || self[line].phase == .open { act(.close(self[line].number)) }
      (self[line].phase, self[line].message, self[line].wait) = (.none, nil, nil)
    }

    /// The inquiry is answered.
    mutating func endInquiry() {
      if let line = inquiry?.line { self[line].message = nil }
      inquiry = nil
    }

    mutating func noteTooSlow(_ line: ReadingLine) {
      if let wait = self[line].wait {
        self[line].batch.noteTooSlow()
        slow.noteLoss(wait.keys)
        self[line].wait = nil
      } else if case .entry = inquiry?.purpose, let arrival = arrivals.first, let position = arrival.shown {
        slow.noteSlowEntry(of: arrival.newcomer.key, after: position)
      } else if inquiry?.mayBeLarge ?? false {
        asked.noteTooSlow()
      }
    }

    /// Ends the followers that have asked for an entry that takes too long by itself, and lets the others ask again;
    /// returns false if that isn't what was asked for.
    mutating func endSlowInquiry(over line: ReadingLine, _ reason: RedisError.Reason) -> Bool {
      guard let inquiry, inquiry.line == line, !inquiry.mayBeLarge else { return false }
      var ended: [Follower] = []
      switch inquiry.purpose {
      case .greeting, .types, .entry: return false
      case .lastEntries: ended = arrivals.followers(of: arrivals.all[inquiry.index].newcomer.key)
      case .places(let indices): ended = arrivals.followers(of: arrivals.all[indices[inquiry.index]].newcomer.key)
      case .suspects(let keys, _): ended = removeStream(keys[inquiry.index])
      case .paced(let keys, _): ended = paced.remove(keys[inquiry.index])
      }
      for follower in ended { act(.end(follower, reason)) }
      arrivals.remove(Set(ended))
      newcomers = arrivals.newcomers + newcomers
      (arrivals, self.inquiry, checks.rest) = (Arrivals(), nil, nil)
      close(line)
      return true
    }

    /// Removes a stream, and returns its followers.
    mutating func removeStream(_ key: [UInt8]) -> [Follower] {
      defer {
        streams.remove(key)
        forget(key)
      }
      return streams[key]?.all ?? []
    }

    /// Forgets what was noted about a stream that nobody follows any more.
    mutating func forget(_ key: [UInt8]) {
      lively.remove(key)
      changed.remove(key)
      slow.remove(key)
    }

    /// Ends all followers but those that have just come.
    mutating func fail(_ reason: RedisError.Reason) {
      for follower in arrivals.followers + streams.followers + paced.followers { act(.end(follower, reason)) }
      if let inquiry, inquiry.mayBeLarge { asked.shrink() }
      for line in ReadingLine.allCases where self[line].wait != nil { self[line].batch.noteLostConnection() }
      reset()
    }

    mutating func reset() {
      for line in ReadingLine.allCases { close(line) }
      (inquiry, arrivals, streams, paced, lively) = (
        nil, Arrivals(), FollowedStreams(), PacedStreams(), LivelyStreams()
      )
      (changed, checks.rest, checks.refusal, checks.waiting) = ([], nil, nil, [])
    }
  }
#endif
