#if Redis
  import SubPub

  /// Inquiries.
  extension ReaderMachine {
    /// A question, which is sent in parts of a limited size, each with the server's time.
    struct Inquiry {
      enum Purpose {
        /// Whether the server takes one more connection.
        case greeting
        /// The last entries of the streams of newcomers.
        case lastEntries
        /// Where some of them go on that have followed another server.
        case places([Int])
        /// The next entry of a stream, which may take long.
        case entry
        /// What there is at these keys.
        case types([[UInt8]])
        /// The last entries of the suspicious ones among them.
        case suspects([[UInt8]], among: [[UInt8]])
        /// The newest entries for the followers with a pace that were due then.
        case paced([[UInt8]], due: Moment)
      }

      let purpose: Purpose
      let line: ReadingLine
      fileprivate let commands: [RedisCommand]
      /// How many entries each of them returns.
      fileprivate let entries: Int
      /// How many of them are under way.
      fileprivate var part = 0
      /// The replies to these so far, the server's time first.
      fileprivate(set) var arrived: [RedisReply] = []
      fileprivate var replies: [RedisReply] = []

      /// The place of what was asked for among all that is to be asked for.
      var index: Int { replies.count + max(0, arrived.count - 1) }

      /// Takes replies to the part that is under way; returns whether it has all of them, or nil if they aren't for it.
      mutating func take(_ replies: inout ArraySlice<RedisReply>, over line: ReadingLine) -> Bool? {
        let missing = part + 1 - arrived.count
        guard line == self.line, missing > 0 else { return nil }
        arrived += replies.prefix(missing)
        replies = replies.dropFirst(missing)
        return arrived.count == part + 1
      }

      /// Whether several entries were asked for at a time.
      var mayBeLarge: Bool {
        switch purpose {
        case .greeting, .types, .entry: false
        case .lastEntries, .places, .suspects, .paced: part > 1 || entries > 1
        }
      }
    }

    /// The kinds of questions, which take turns, so that none keeps another one waiting.
    private enum Concern: Int, CaseIterable { case newcomers, checks, paced, greeting }

    /// Asks for something if there is something to be asked for.
    mutating func beginInquiry(at now: Moment) {
      let concerns = Concern.allCases
      for offset in 1...concerns.count {
        let concern = concerns[(checks.turn + offset) % concerns.count]
        if begin(concern, at: now) { return checks.turn = concern.rawValue }
      }
    }

    /// Returns whether there was something to be asked for.
    private mutating func begin(_ concern: Concern, at now: Moment) -> Bool {
      switch concern {
      case .newcomers:
        if newcomers.isEmpty { return false }
        beginArrivals(at: now)
      case .checks:
        guard checks.areDue(at: now) else { return false }
        beginCheck(at: now)
      case .paced:
        let keys = paced.dueKeys(at: now)
        if keys.isEmpty { return false }
        ask(.paced(keys, due: now), keys.map { .lastEntry(of: $0) })
      case .greeting:
        // So that a server that takes no further connection says so now.
        guard self[.asking].phase == .none, !streams.isEmpty || !paced.isEmpty else { return false }
        ask(.greeting, [])
      }
      return true
    }

    mutating func ask(
      _ purpose: Inquiry.Purpose, _ commands: [RedisCommand], _ entries: Int = 1, over line: ReadingLine = .asking
    ) {
      inquiry = Inquiry(purpose: purpose, line: line, commands: commands, entries: entries)
      sendPart()
    }

    private mutating func sendPart() {
      guard var inquiry else { return }
      let part = inquiry.commands.dropFirst(inquiry.replies.count).prefix(max(1, asked.count / inquiry.entries))
      (inquiry.part, inquiry.arrived) = (part.count, [])
      self.inquiry = inquiry
      var bytes = RedisCommand("TIME").encoded
      bytes.reserveCapacity(part.reduce(bytes.count) { $0 + $1.byteCount + 8 })
      for command in part { command.encode(to: &bytes) }
      let limit = TimeLimit(limit: replyTimeout, arrival: replyTimeout * 2)
      send(Message(bytes: bytes, replyCount: part.count + 1, limit: limit), over: inquiry.line)
    }

    /// All replies to this part of the inquiry have arrived.
    mutating func receiveInquiry(at now: Moment) {
      // Taken out, because a copy would have all replies so far copied.
      guard var inquiry = inquiry.take() else { return }
      serverTime = inquiry.arrived[0].milliseconds ?? 0
      inquiry.replies += inquiry.arrived.dropFirst()
      asked.noteReply(isFull: inquiry.part >= asked.count / inquiry.entries)
      self.inquiry = inquiry
      if inquiry.replies.count < inquiry.commands.count { return sendPart() }
      endInquiry()
      receive(inquiry.replies, for: inquiry.purpose, at: now)
    }

    private mutating func receive(_ replies: [RedisReply], for purpose: Inquiry.Purpose, at now: Moment) {
      switch purpose {
      case .greeting: break
      case .lastEntries: receiveLastEntries(replies, at: now)
      case .places(let indices): receivePlaces(replies, of: indices, at: now)
      case .entry: receiveEntry(replies, at: now)
      case .types(let keys): receiveTypes(replies, of: keys, at: now)
      case .suspects(let suspects, let keys):
        compare(suspects, with: replies, at: now)
        endCheck(of: keys)
      case .paced(let keys, let due): receivePaced(replies, of: keys, due, at: now)
      }
    }

    private mutating func receivePaced(_ replies: [RedisReply], of keys: [[UInt8]], _ due: Moment, at now: Moment) {
      var found: [[UInt8]: StreamEntry?] = [:]
      for (key, reply) in zip(keys, replies) {
        if let refusal = reply.refusal {
          for follower in paced.remove(key) { act(.end(follower, .refused(refusal))) }
        } else {
          found[key] = .some(StreamEntry.entries(reply).last)
        }
      }
      for (follower, event) in paced.take(found, dueAt: due, serverTime: serverTime, at: now) {
        act(.pass(event, follower))
      }
    }
  }

  /// Checks.
  extension ReaderMachine {
    /// Looks at streams that are followed: whether they can't be read any more, or were deleted and began anew.
    ///
    /// The ids of the latter are smaller than those that `XREAD` waits for.
    struct Checks {
      /// How many streams are looked at before something else is asked for.
      fileprivate static var atOnce: Int { 256 }

      var next: Moment
      /// The streams that are still to be looked at; nil if a check isn't under way.
      var rest: ArraySlice<[UInt8]>?
      /// Why the streams have to be looked at before they are read on, and whether the one was found that can't be
      /// read.
      var refusal: (message: String, isFound: Bool)?
      /// Who is told when its stream was looked at.
      var waiting: Set<Follower> = []
      /// What was asked for last.
      fileprivate var turn = Concern.greeting.rawValue

      init(next: Moment) { self.next = next }

      mutating func begin(because refusal: String) {
        if self.refusal == nil { (rest, self.refusal) = (nil, (refusal, false)) }
      }

      fileprivate func areDue(at now: Moment) -> Bool { refusal != nil || rest != nil || now >= next }
    }

    private mutating func beginCheck(at now: Moment) {
      if checks.rest == nil {
        (checks.next, checks.rest) = (now + replyTimeout, streams.keys[...])
        if lively.isEmpty, self[.lively].wait == nil { close(.lively) }
      }
      // Some may have been forgotten meanwhile.
      let keys = Array((checks.rest ?? []).prefix(Checks.atOnce))
      checks.rest = checks.rest?.dropFirst(Checks.atOnce)
      let commands = keys.flatMap { key in
        [RedisCommand("TYPE", of: key), RedisCommand("GET", of: key + Array(RedisCommand.counterSuffix.utf8))]
      }
      ask(.types(keys), commands)
    }

    /// Looks at the last entries, which may be large, of those streams that may have begun anew.
    ///
    /// The others exist or are yet to come, and their outlets' numbers haven't begun anew. A number that is a time in
    /// the past can't be given again, so a stream with smaller ones is an older copy, which is never shown (8.08).
    private mutating func receiveTypes(_ replies: [RedisReply], of keys: [[UInt8]], at now: Moment) {
      let suspects = keys.enumerated().filter { index, key in
        let (type, counter) = (replies[2 * index], replies[2 * index + 1].outletNumber ?? 0)
        guard type.isText("stream") || type.isText("none") else { return true }
        return streams[key]?.isBehind(max(counter, serverTime)) ?? false
      }.map { $0.element }
      if suspects.isEmpty { return endCheck(of: keys) }
      ask(.suspects(suspects, among: keys), suspects.map { .lastEntry(of: $0) })
    }

    private mutating func compare(_ keys: [[UInt8]], with replies: [RedisReply], at now: Moment) {
      for (key, reply) in zip(keys, replies) {
        if let refusal = reply.refusal {
          for follower in removeStream(key) { act(.end(follower, .refused(refusal))) }
          checks.refusal?.isFound = true
        } else if let result = streams[key]?.compare(with: StreamEntry.entries(reply).last?.id, at: now) {
          if result.waits { checks.next = min(checks.next, now + .milliseconds(500)) }
          if result.beginsAnew { noteMissed(key, isBehind: true, at: now) }
        }
      }
    }

    private mutating func endCheck(of keys: [[UInt8]]) {
      for key in keys where !checks.waiting.isEmpty {
        for follower in streams[key]?.all ?? [] where checks.waiting.remove(follower) != nil {
          act(.pass(.checked, follower))
        }
      }
      // It may have begun anew meanwhile.
      guard let rest = checks.rest, rest.isEmpty else { return }
      checks.rest = nil
      guard let (message, isFound) = checks.refusal else { return }
      // If no single stream is the reason, none can be read.
      if isFound || streams.isEmpty { checks.refusal = nil } else { fail(.refused(message)) }
    }
  }
#endif
