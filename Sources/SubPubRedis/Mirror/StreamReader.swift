#if Redis
  import SubPub

  /// Reads the streams of one server, for all mirrors of the process that have its endpoint.
  ///
  /// One task does all of it, while there are followers. `XREAD` waits until one of the streams has a new entry, and
  /// occupies a connection; another one waits for the streams that this wait misses. A third asks for the last entries
  /// of streams. Behind a balanced address, each may lead to another server.
  actor StreamReader {
    /// How many entries are passed on before more are asked for.
    static let few = 16

    let client: RedisClient
    /// The thread of the mirrors, on which states are decoded and published.
    ///
    /// It isn't that of the outlets, which a slow subscriber would hold up.
    let loop = RedisLoop()
    var endpoint: RedisEndpoint { client.endpoint }
    /// What the task waits for: a reply to `XREAD`, followers that were added or have ended, and times.
    let wake = Wake()
    let inbox = Locked(Inbox())
    let contact = LastContact()

    var streams: [[UInt8]: FollowedStream] = [:]
    var lively = LivelyStreams()
    var paced = PacedStreams()
    /// For `XREAD`.
    var readings: [Reading.Kind: Reading] = [.resting: Reading(), .lively: Reading()]
    /// For everything else.
    var asking: RedisChannel?
    /// How many streams are asked for their last entries at a time.
    let asked = BatchSize()
    var slow = SlowStreams()
    /// The streams that had new entries when they were asked for last.
    var changed: Set<[UInt8]> = []
    var nextCheck = ContinuousClock.now
    /// The streams that are still to be looked at; nil if a check isn't under way.
    var unchecked: ArraySlice<[UInt8]>?
    /// The server's time when it was asked last, in milliseconds; 0 if the user may not ask for it.
    var serverTime: UInt64 = 0

    struct Inbox {
      var added: [(StreamFollower, StreamPosition)] = []
      /// Whether followers have ended since they were removed last.
      var hasEnded = false
      var isRunning = false
    }

    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.asUnownedSerialExecutor() }

    init(_ client: RedisClient) { self.client = client }

    /// Tells a follower what comes after its position in the stream.
    nonisolated func add(_ follower: StreamFollower, _ position: StreamPosition) {
      let starts = inbox.withLock { inbox in
        inbox.added.append((follower, position))
        defer { inbox.isRunning = true }
        return !inbox.isRunning
      }
      if starts { Task(executorPreference: loop) { [self] in await run() } } else { wake.set() }
    }

    /// Lets the reader forget followers that have ended.
    nonisolated func noteEnd() {
      inbox.withLock { $0.hasEnded = true }
      wake.set()
    }

    func run() async {
      while let added = takeAdded() { await run(adding: added) }
    }

    /// Returns the followers that were added; nil if there are none at all, and the task ends.
    func takeAdded() -> [(StreamFollower, StreamPosition)]? {
      removeEnded()
      let isIdle = streams.isEmpty && paced.isEmpty
      let added = inbox.withLock { inbox -> [(StreamFollower, StreamPosition)]? in
        if isIdle, inbox.added.isEmpty {
          inbox.isRunning = false
          return nil
        }
        defer { inbox.added = [] }
        return inbox.added
      }
      if added == nil { disconnect() }
      return added
    }

    /// Adds followers, and waits until something happens.
    func run(adding added: [(StreamFollower, StreamPosition)]) async {
      do throws(RedisError.Reason) {
        if readings.values.allSatisfy({ $0.channel == nil }), asking == nil { nextCheck = .now + endpoint.replyTimeout }
        try await begin(added.filter { !$0.0.hasEnded })
        if !streams.isEmpty || !paced.isEmpty { try await read() }
      } catch {
        for reading in readings.values { noteLoss(reading) }
        for (follower, _) in added { follower.end(error) }
        for stream in streams.values { for each in stream.followers { each.follower.end(error) } }
        for follower in paced.followers { follower.end(error) }
        (streams, lively, paced, unchecked) = ([:], LivelyStreams(), PacedStreams(), nil)
        disconnect()
      }
    }

    private func noteLoss(_ reading: Reading) {
      guard let wait = reading.wait else { return }
      guard reading.channel?.connection.isTooSlow ?? false else { return reading.batch.noteLostConnection() }
      reading.batch.noteTooSlow()
      slow.noteLoss(wait.keys)
    }

    func removeEnded() {
      let hasEnded = inbox.withLock { inbox in
        defer { inbox.hasEnded = false }
        return inbox.hasEnded
      }
      guard hasEnded else { return }
      paced.removeEnded()
      for key in streams.keys where !(streams[key]?.removeEnded() ?? false) { remove(key) }
    }

    func remove(_ key: [UInt8]) {
      streams[key] = nil
      lively.remove(key)
    }
  }

  /// A connection over which one `XREAD` at a time waits for entries.
  struct Reading {
    enum Kind: CaseIterable {
      /// For the streams of which nothing is expected.
      case resting
      /// For a few others, again and again.
      case lively
    }

    struct Wait {
      /// How many entries of a stream were asked for.
      let count: Int
      let keys: [[UInt8]]
    }

    let batch = BatchSize()
    var channel: RedisChannel?
    /// The wait for the reply; nil if there is none.
    var wait: Wait?
  }

  /// The connections.
  extension StreamReader {
    func connect(_ notice: Wake? = nil) async throws(RedisError.Reason) -> RedisChannel {
      RedisChannel(try await client.connect(on: loop), notice: notice, noticesReplies: true)
    }

    func disconnect() {
      for kind in Reading.Kind.allCases { dropReading(kind) }
      asking?.connection.close()
      asking = nil
    }

    func connectedReading(_ kind: Reading.Kind) async throws(RedisError.Reason) -> RedisChannel {
      // The server may have closed one over which nothing was asked for.
      if let channel = readings[kind]?.channel, channel.failure == nil { return channel }
      let channel = try await connect(wake)
      readings[kind]?.channel = channel
      return channel
    }

    /// Lets the next read have a new connection.
    func dropReading(_ kind: Reading.Kind) {
      readings[kind]?.channel?.connection.close()
      readings[kind]?.channel = nil
      readings[kind]?.wait = nil
    }

    func connectedAsking() async throws(RedisError.Reason) -> RedisChannel {
      if let asking { return asking }
      let channel = try await connect()
      asking = channel
      return channel
    }

    /// Asks over the other connection.
    ///
    /// The server may have closed it while it was idle. Then another one takes its place, and nobody notices.
    func ask(_ commands: [RedisCommand]) async throws(RedisError.Reason) -> [RedisReply] {
      if let asking {
        do { return try await replies(to: commands, over: asking) } catch {
          guard asking.connection.isClosed else { throw error }
          self.asking = nil
        }
      }
      return try await replies(to: commands, over: connectedAsking())
    }

    func replies(
      to commands: [RedisCommand], over channel: RedisChannel
    ) async throws(RedisError.Reason) -> [RedisReply] {
      let timeout = endpoint.replyTimeout
      let replies = try await channel.replies(to: commands, within: TimeLimit(limit: timeout, arrival: timeout * 2))
      contact.note()
      return replies
    }
  }
#endif
