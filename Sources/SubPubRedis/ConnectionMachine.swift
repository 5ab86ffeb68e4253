#if Redis
  /// Decides what happens on one connection: whose a reply is, how long to wait for it, and when all of that is over.
  ///
  /// It has no socket, clock, lock, or task. It is told what has happened and when, and says what has to be done;
  /// `RedisConnection` does that. The server replies in the order of the commands, so a queue tells whose a reply is.
  struct ConnectionMachine<Channel: Hashable & Sendable> {
    typealias Instant = ContinuousClock.Instant

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
      let sent: Instant
    }

    /// What has to be done, in this order.
    struct Actions {
      var deliveries: [(channel: Channel, replies: [RedisReply])] = []
      /// The connection is over, and these are to be told that.
      var end: (reason: RedisError.Reason, channels: [Channel])?
      /// The connection can be used from now on, unless it is over already.
      var opens = false
    }

    private(set) var phase = Phase.connecting
    private let isEncrypted: Bool
    private let connectLimit: (end: Instant, duration: Duration)
    /// Puts the replies together; a copy of the machine would share it.
    private let reader: ReplyReader
    /// The requests whose replies are to come, from this index on.
    private var requests: [Request] = []
    private var first = 0
    /// When the last reply has arrived.
    private var answered: Instant
    /// When the loop's thread, which was busy, began to wait for the next reply although its time was over.
    private var lateSince: Instant?
    private var channels: Set<Channel> = []

    /// Begins to connect; the reader is the machine's own.
    init(
      _ reader: ReplyReader, isEncrypted: Bool, by end: Instant, limit: Duration, at now: Instant
    ) {
      (self.reader, self.isEncrypted) = (reader, isEncrypted)
      (connectLimit, answered) = ((end, limit), now)
    }

    /// Why the connection can't be used any more; nil while it can.
    var failure: RedisError.Reason? { if case .over(let reason) = phase { reason } else { nil } }

    /// Lets a channel be told of the end, or tells it at once.
    mutating func add(_ channel: Channel, _ actions: inout Actions) {
      if let failure { actions.end = (failure, [channel]) } else { channels.insert(channel) }
    }

    mutating func remove(_ channel: Channel) { channels.remove(channel) }

    /// The socket is connected.
    mutating func connected(at now: Instant, _ actions: inout Actions) {
      guard case .connecting = phase else { return }
      if isEncrypted { phase = .securing } else { open(at: now, &actions) }
    }

    /// Both sides agree on the encryption.
    mutating func secured(at now: Instant, _ actions: inout Actions) {
      if case .securing = phase { open(at: now, &actions) }
    }

    private mutating func open(at now: Instant, _ actions: inout Actions) {
      (phase, answered, actions.opens) = (.open, now, true)
    }

    /// Commands are sent; returns why they can't be.
    mutating func request(_ request: Request) -> RedisError.Reason? {
      if failure == nil { requests.append(request) }
      return failure
    }

    /// Bytes have arrived, decrypted.
    mutating func received(_ bytes: ArraySlice<UInt8>, at now: Instant, _ actions: inout Actions) {
      if failure != nil { return }
      let (replies, failure) = reader.replies(completedBy: bytes)
      for reply in replies {
        guard first < requests.count else {
          // A server that takes no more clients doesn't wait for a command.
          let unasked = RedisError.Reason.unreachable("the server says what nobody has asked for")
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
      if let failure { lose(failure, &actions) }
    }

    private mutating func removeFirstRequest() {
      first += 1
      guard first == requests.count || first >= 1_024 else { return }
      requests.removeFirst(first)
      first = 0
    }

    /// The connection is lost, or isn't used any more; only the first reason counts.
    mutating func lose(_ reason: RedisError.Reason, _ actions: inout Actions) {
      guard failure == nil else { return }
      phase = .over(reason)
      actions.end = (reason, Array(channels))
      (channels, requests, first) = ([], [], 0)
    }
  }

  /// Time.
  extension ConnectionMachine {
    /// Begins to wait for what happens next; returns when `timeHasCome` is to be called at the latest.
    mutating func wait(at now: Instant) -> Instant? {
      if case .open = phase, lateSince == nil, let deadline, deadline + Self.tolerance <= now { lateSince = now }
      return deadline
    }

    /// That time has come, and everything that has arrived until then was received.
    mutating func timeHasCome(_ now: Instant, _ actions: inout Actions) {
      guard let deadline, deadline <= now else { return }
      switch phase {
      case .connecting: lose(.unreachable("cannot connect: Connection timed out"), &actions)
      case .securing:
        let duration = connectLimit.duration
        lose(
          .unreachable("the server takes longer than \(duration) to agree on encryption: it may not speak TLS"),
          &actions)
      case .open:
        lose(.unreachable("the server takes longer than \(requests[first].limit.named) to reply"), &actions)
      case .over: break
      }
    }

    private var deadline: Instant? {
      switch phase {
      case .connecting, .securing: connectLimit.end
      case .open: first < requests.count ? deadline(of: requests[first]) : nil
      case .over: nil
      }
    }

    /// A thread that was busy gets half of the time again, once for each reply: the rest of a large one takes a while
    /// to arrive, because the server had to wait for this side.
    private func deadline(of request: Request) -> Instant {
      let limit = request.limit.limit
      return lateSince.map { $0 + limit / 2 } ?? max(request.sent, answered) + limit
    }
  }

  /// How long a reply may take.
  struct TimeLimit {
    let limit: Duration
    /// The setting that the error names.
    let named: Duration

    init(limit: Duration, named: Duration? = nil) { (self.limit, self.named) = (limit, named ?? limit) }
  }
#endif
