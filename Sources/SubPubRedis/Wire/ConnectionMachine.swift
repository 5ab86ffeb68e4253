#if Redis
  /// Decides what happens on one connection: whose a reply is, how long to wait for it, and when all of that is over.
  ///
  /// It has no socket, clock, lock, or task. It is told what has happened and when, and says what has to be done;
  /// `RedisConnection` does that. The server replies in the order of the commands, so a queue tells whose a reply is.
  struct ConnectionMachine<Channel: Hashable & Sendable> {
    /// How far beyond the time of a reply the loop's thread counts as busy.
    private static var tolerance: Duration { .milliseconds(50) }

    enum Phase {
      case connecting
      /// Agrees on encryption.
      case securing
      case open
      case over(RedisError.Reason)
    }

    /// Commands whose replies are to come.
    struct Request {
      let channel: Channel
      var count: Int
      let limit: TimeLimit
      let sent: Moment
      /// When the socket has taken the last of its bytes so far.
      fileprivate var taken: Moment
      /// How many bytes will have been sent over the connection with its last one.
      fileprivate var end = 0

      init(channel: Channel, count: Int, limit: TimeLimit, sent: Moment) {
        (self.channel, self.count, self.limit, self.sent, taken) = (channel, count, limit, sent, sent)
      }
    }

    /// What has to be done, in this order.
    struct Actions {
      var deliveries: [(channel: Channel, replies: [RedisReply])] = []
      /// The connection is over, and these are to be told that; maybe because a reply to one of them was too late.
      ///
      /// The machine doesn't keep it: a channel holds its connection.
      var end: (reason: RedisError.Reason, channels: [Channel], late: Channel?)?
      /// The connection can be used from now on, unless it is over already.
      var opens = false
    }

    private(set) var phase = Phase.connecting
    private let isEncrypted: Bool
    private let connectLimit: (end: Moment, duration: Duration)
    /// Puts the replies together; a copy of the machine would share it.
    private let reader: ReplyReader
    /// The requests whose replies are to come, from this index on.
    private var requests: [Request] = []
    private var first = 0
    /// When the last reply has arrived.
    private var answered: Moment
    /// When the first and the last bytes have arrived of a reply that isn't complete.
    private var arriving: (first: Moment, last: Moment)?
    /// How many bytes were to be sent so far, and how many of them the socket has taken.
    private var traffic = (queued: 0, taken: 0)
    /// Whether it was lost because a reply kept arriving for too long.
    private(set) var isTooSlow = false
    /// When the loop's thread, which was busy, began to wait for the next reply although its time was over.
    private var lateSince: Moment?
    private var channels: Set<Channel> = []

    /// Begins to connect; the reader is the machine's own.
    init(
      _ reader: ReplyReader, isEncrypted: Bool, by end: Moment, limit: Duration, at now: Moment
    ) {
      (self.reader, self.isEncrypted) = (reader, isEncrypted)
      (connectLimit, answered) = ((end, limit), now)
    }

    /// Why the connection can't be used any more; nil while it can.
    var failure: RedisError.Reason? { if case .over(let reason) = phase { reason } else { nil } }

    /// Lets a channel be told of the end, or tells it at once.
    mutating func add(_ channel: Channel, _ actions: inout Actions) {
      if let failure { actions.end = (failure, [channel], nil) } else { channels.insert(channel) }
    }

    mutating func remove(_ channel: Channel) { channels.remove(channel) }

    /// The socket is connected.
    mutating func connected(at now: Moment, _ actions: inout Actions) {
      guard case .connecting = phase else { return }
      if isEncrypted { phase = .securing } else { open(at: now, &actions) }
    }

    /// Both sides agree on the encryption.
    mutating func secured(at now: Moment, _ actions: inout Actions) {
      if case .securing = phase { open(at: now, &actions) }
    }

    private mutating func open(at now: Moment, _ actions: inout Actions) {
      (phase, answered, actions.opens) = (.open, now, true)
    }

    /// Commands are sent; returns why they can't be.
    mutating func request(_ request: Request) -> RedisError.Reason? {
      if failure == nil { requests.append(request) }
      return failure
    }

    /// So many bytes are to be sent, the last of them for the last request, and the socket has taken so many.
    mutating func transmitted(_ taken: Int, of queued: Int, at now: Moment) {
      if queued > traffic.queued, requests.count > first { requests[requests.count - 1].end = queued }
      if taken > traffic.taken, first < requests.count, requests[first].end > traffic.taken {
        requests[first].taken = now
      }
      traffic = (queued, taken)
    }

    /// Bytes have arrived, decrypted.
    mutating func received(_ bytes: ArraySlice<UInt8>, at now: Moment, _ actions: inout Actions) {
      if failure != nil { return }
      let (replies, failure) = reader.replies(completedBy: bytes)
      for reply in replies {
        guard first < requests.count else {
          // A server that takes no more clients doesn't wait for a command.
          let unasked = RedisError.Reason.unreachable("the server has sent a reply that nobody has asked for")
          return lose(reply.refusal.map { .refused($0) } ?? unasked, &actions)
        }
        let channel = requests[first].channel
        if actions.deliveries.last?.channel == channel {
          actions.deliveries[actions.deliveries.count - 1].replies.append(reply)
        } else {
          actions.deliveries.append((channel, [reply]))
        }
        requests[first].count -= 1
        if requests[first].count == 0 { removeFirstRequest() }
        (answered, lateSince) = (now, nil)
      }
      arriving = replies.isEmpty ? (arriving?.first ?? now, now) : nil
      if let failure { lose(failure, &actions) }
    }

    private mutating func removeFirstRequest() {
      first += 1
      guard first == requests.count || first >= 1_024 else { return }
      requests.removeFirst(first)
      first = 0
    }

    /// The connection is lost, or isn't used any more; only the first reason counts.
    mutating func lose(_ reason: RedisError.Reason, late: Channel? = nil, _ actions: inout Actions) {
      guard failure == nil else { return }
      phase = .over(reason)
      actions.end = (reason, Array(channels), late)
      (channels, requests, first) = ([], [], 0)
    }
  }

  /// Time.
  extension ConnectionMachine {
    /// Begins to wait for what happens next; returns when `timeHasCome` is to be called at the latest.
    mutating func wait(at now: Moment) -> Moment? {
      if case .open = phase, lateSince == nil, let deadline, deadline + Self.tolerance <= now { lateSince = now }
      return deadline
    }

    /// That time has come, and everything that has arrived until then was received.
    mutating func timeHasCome(_ now: Moment, _ actions: inout Actions) {
      guard let deadline, deadline <= now else { return }
      switch phase {
      case .connecting: lose(.unreachable("cannot connect: Connection timed out"), &actions)
      case .securing:
        let duration = connectLimit.duration
        lose(
          .unreachable("the server takes longer than \(duration) to agree on encryption: it may not speak TLS"),
          &actions)
      case .open:
        let request = requests[first]
        isTooSlow = request.limit.deadline(after: answered, arriving: arriving).isTooSlow
        let reason = RedisError.Reason.unreachable("the server takes longer than \(request.limit.named) to reply")
        lose(reason, late: request.channel, &actions)
      case .over: break
      }
    }

    private var deadline: Moment? {
      switch phase {
      case .connecting, .securing: connectLimit.end
      case .open: first < requests.count ? deadline(of: requests[first]) : nil
      case .over: nil
      }
    }

    /// A thread that was busy gets half of the time again, once for each reply: the rest of a large one takes a while
    /// to arrive, because the server had to wait for this side.
    ///
    /// The time doesn't run while the socket takes bytes of the request. What it has taken may have to wait once more
    /// on its way, so the reply may take longer by as long as that took; at most twice as long (8.07).
    private func deadline(of request: Request) -> Moment {
      let limit = request.limit.limit
      if let lateSince { return lateSince + limit / 2 }
      let start = max(request.sent, answered)
      let delay = request.taken > answered ? start.duration(to: request.taken) : .zero
      return request.limit.deadline(after: start + delay + min(limit, delay), arriving: arriving).time
    }
  }

  /// How long a reply may take.
  struct TimeLimit {
    let limit: Duration
    /// The setting that the error names.
    let named: Duration
    /// How long the bytes of one reply may keep arriving, with pauses up to the setting; nil if that makes no
    /// difference.
    let arrival: Duration?

    init(limit: Duration, named: Duration? = nil, arrival: Duration? = nil) {
      (self.limit, self.named, self.arrival) = (limit, named ?? limit, arrival)
    }

    /// When a reply is late, and whether that is because it is still arriving.
    ///
    /// It is awaited from `start` on. Of its bytes, the first and the last have arrived at these times.
    func deadline(
      after start: Moment, arriving: (first: Moment, last: Moment)?
    ) -> (time: Moment, isTooSlow: Bool) {
      guard let arriving, let arrival else { return (start + limit, arriving != nil) }
      let (slow, stalled) = (arriving.first + arrival, arriving.last + named)
      return (max(start + limit, min(slow, stalled)), slow <= stalled)
    }
  }
#endif
