#if Redis
  import SubPub

  /// Reads the streams of one server, for all mirrors of the process that have its endpoint.
  ///
  /// One task does all of it, while there are followers. `XREAD` waits until one of the streams has a new entry, and
  /// occupies a connection; the other connection asks for the last entries of streams, and ends that wait when a stream
  /// is added.
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

    let batch = BatchSize()
    var streams: [[UInt8]: FollowedStream] = [:]
    var paced = PacedStreams()
    /// For `XREAD`.
    var reading: RedisChannel?
    /// The server's number of that connection; nil if it isn't known yet.
    var readingID: String?
    /// For everything else.
    var asking: RedisChannel?
    /// The wait for the reply to `XREAD`; nil if there is no `XREAD`.
    var wait: Wait?
    /// The streams that had new entries in the last reply to `XREAD`.
    var changed: Set<[UInt8]> = []
    var nextCheck = ContinuousClock.now
    /// The server's time when it was asked last, in milliseconds; 0 if the user may not ask for it.
    var serverTime: UInt64 = 0

    struct Inbox {
      var added: [(StreamFollower, StreamPosition)] = []
      /// Whether followers have ended since they were removed last.
      var hasEnded = false
      var isRunning = false
    }

    struct Wait {
      /// How many entries of a stream were asked for.
      let count: Int
      /// When to end the wait, and how long to pause before the next attempt if the server isn't waiting yet; nil
      /// unless `XREAD` waits for less than it should.
      var end: (next: ContinuousClock.Instant, pause: Duration)?
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
      loop.forget(wake)
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
        if reading == nil, asking == nil { nextCheck = .now + endpoint.replyTimeout }
        try await begin(added.filter { !$0.0.hasEnded })
        if !streams.isEmpty || !paced.isEmpty { try await read() }
      } catch {
        if wait != nil { batch.noteLostConnection() }
        for (follower, _) in added { follower.end(error) }
        for stream in streams.values { for each in stream.followers { each.follower.end(error) } }
        for follower in paced.followers { follower.end(error) }
        (streams, paced) = ([:], PacedStreams())
        disconnect()
      }
    }

    func removeEnded() {
      let hasEnded = inbox.withLock { inbox in
        defer { inbox.hasEnded = false }
        return inbox.hasEnded
      }
      guard hasEnded else { return }
      paced.removeEnded()
      for key in streams.keys where !(streams[key]?.removeEnded() ?? false) { streams[key] = nil }
    }
  }

  /// The connections.
  extension StreamReader {
    func connect(_ notice: Wake? = nil) async throws(RedisError.Reason) -> RedisChannel {
      RedisChannel(try await client.connect(on: loop), notice: notice, noticesReplies: true)
    }

    func disconnect() {
      dropReading()
      asking?.connection.close()
      (asking, wait) = (nil, nil)
    }

    func connectedReading() async throws(RedisError.Reason) -> RedisChannel {
      if let reading { return reading }
      let channel = try await connect(wake)
      reading = channel
      return channel
    }

    func connectedAsking() async throws(RedisError.Reason) -> RedisChannel {
      if let asking { return asking }
      let channel = try await connect()
      asking = channel
      return channel
    }

    /// Makes sure that the wait can be ended: there is another connection, which the server has accepted.
    func prepareToRead() async throws(RedisError.Reason) {
      if readingID != nil { return }
      let number = try await id(of: connectedReading())
      _ = try await id(of: connectedAsking())
      readingID = "\(number)"
    }

    func id(of channel: RedisChannel) async throws(RedisError.Reason) -> Int64 {
      guard let number = try await channel.reply(to: RedisCommand("CLIENT", "ID")).get().integer else {
        throw .unreachable("the reply to CLIENT ID isn't a number")
      }
      return number
    }

    /// Ends the wait of the reading connection; returns false if the server doesn't wait.
    func unblock() async throws(RedisError.Reason) -> Bool {
      try await ask([RedisCommand("CLIENT", "UNBLOCK", readingID ?? "")])[0].get().integer == 1
    }

    /// Lets the next read have a new connection.
    func dropReading() {
      reading?.connection.close()
      (reading, readingID) = (nil, nil)
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
      let replies = try await channel.replies(to: commands)
      contact.note()
      return replies
    }
  }
#endif
