#if Redis
  import SubPub

  /// Reads the streams of one server, for all mirrors of the process that have its endpoint.
  ///
  /// One task does all of it, while there are followers. `XREAD` waits until one of the streams has a new entry, and
  /// occupies a connection; the other connection asks for the last entries of streams, and ends that wait when a stream
  /// is added.
  actor StreamReader {
    /// How many entries are passed on before more are asked for.
    private static let few = 16

    private let client: RedisClient
    /// The thread of the mirrors, on which states are decoded and published.
    ///
    /// It isn't that of the outlets, which a slow subscriber would hold up.
    private let loop = RedisLoop()
    private var endpoint: RedisEndpoint { client.endpoint }
    /// What the task waits for: a reply to `XREAD`, followers that were added or have ended, and times.
    private let wake = Wake()
    private let inbox = Locked(Inbox())
    let contact = LastContact()

    private let batch = BatchSize()
    private var streams: [[UInt8]: FollowedStream] = [:]
    private var paced = PacedStreams()
    /// For `XREAD`.
    private var reading: RedisChannel?
    /// The server's number of that connection; nil if it isn't known yet.
    private var readingID: String?
    /// For everything else.
    private var asking: RedisChannel?
    /// The wait for the reply to `XREAD`; nil if there is no `XREAD`.
    private var wait: Wait?
    private var nextCheck = ContinuousClock.now
    /// The server's time when it was asked last, in milliseconds; 0 if the user may not ask for it.
    private var serverTime: UInt64 = 0

    private struct Inbox {
      var added: [(StreamFollower, after: EntryID?)] = []
      /// Whether followers have ended since they were removed last.
      var hasEnded = false
      var isRunning = false
    }

    private struct Wait {
      /// How many entries of a stream were asked for.
      let count: Int
      /// When to end the wait, and how long to pause before the next attempt if the server isn't waiting yet; nil unless
      /// `XREAD` waits for less than it should.
      var end: (next: ContinuousClock.Instant, pause: Duration)?
    }

    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.asUnownedSerialExecutor() }

    init(_ client: RedisClient) { self.client = client }

    /// Tells a follower the last entry of its stream, and everything after that; or what comes after a position.
    nonisolated func add(_ follower: StreamFollower, after position: EntryID?) {
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

    private func run() async {
      while let added = takeAdded() { await run(adding: added) }
      loop.forget(wake)
    }

    /// Returns the followers that were added; nil if there are none at all, and the task ends.
    private func takeAdded() -> [(StreamFollower, after: EntryID?)]? {
      removeEnded()
      let isIdle = streams.isEmpty && paced.isEmpty
      let added = inbox.withLock { inbox -> [(StreamFollower, after: EntryID?)]? in
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
    private func run(adding added: [(StreamFollower, after: EntryID?)]) async {
      do throws(RedisError.Reason) {
        if reading == nil, asking == nil { nextCheck = .now + endpoint.replyTimeout }
        try await add(added.filter { !$0.0.hasEnded })
        if !streams.isEmpty || !paced.isEmpty { try await read() }
      } catch {
        if wait != nil { batch.shrink() }
        for (follower, _) in added { follower.end(error) }
        for stream in streams.values { for each in stream.followers { each.follower.end(error) } }
        for follower in paced.followers { follower.end(error) }
        (streams, paced) = ([:], PacedStreams())
        disconnect()
      }
    }

    private func removeEnded() {
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
    private func connect(_ notice: Wake? = nil) async throws(RedisError.Reason) -> RedisChannel {
      RedisChannel(try await client.connect(on: loop), notice: notice, noticesReplies: true)
    }

    private func disconnect() {
      dropReading()
      asking?.connection.close()
      (asking, wait) = (nil, nil)
    }

    private func connectedReading() async throws(RedisError.Reason) -> RedisChannel {
      if let reading { return reading }
      let channel = try await connect(wake)
      reading = channel
      return channel
    }

    private func connectedAsking() async throws(RedisError.Reason) -> RedisChannel {
      if let asking { return asking }
      let channel = try await connect()
      asking = channel
      return channel
    }

    /// Makes sure that the wait can be ended: there is another connection, which the server has accepted.
    private func prepareToRead() async throws(RedisError.Reason) {
      if readingID != nil { return }
      let number = try await id(of: connectedReading())
      _ = try await id(of: connectedAsking())
      readingID = "\(number)"
    }

    private func id(of channel: RedisChannel) async throws(RedisError.Reason) -> Int64 {
      guard let number = try await channel.reply(to: RedisCommand("CLIENT", "ID")).get().integer else {
        throw .unreachable("the reply to CLIENT ID isn't a number")
      }
      return number
    }

    /// Ends the wait of the reading connection; returns false if the server doesn't wait.
    private func unblock() async throws(RedisError.Reason) -> Bool {
      try await ask([RedisCommand("CLIENT", "UNBLOCK", readingID ?? "")])[0].get().integer == 1
    }

    /// Lets the next read have a new connection.
    private func dropReading() {
      reading?.connection.close()
      (reading, readingID) = (nil, nil)
    }

    /// Asks over the other connection.
    ///
    /// The server may have closed it while it was idle. Then another one takes its place, and nobody notices.
    private func ask(_ commands: [RedisCommand]) async throws(RedisError.Reason) -> [RedisReply] {
      if let asking {
        do { return try await replies(to: commands, over: asking) } catch {
          guard asking.connection.isClosed else { throw error }
          self.asking = nil
        }
      }
      return try await replies(to: commands, over: connectedAsking())
    }

    private func replies(
      to commands: [RedisCommand], over channel: RedisChannel
    ) async throws(RedisError.Reason) -> [RedisReply] {
      let replies = try await channel.replies(to: commands)
      contact.note()
      return replies
    }
  }

  /// Adding.
  extension StreamReader {
    /// Asks for the last entries of the streams of new followers, so that these are current at once.
    private func add(_ added: [(StreamFollower, after: EntryID?)]) async throws(RedisError.Reason) {
      if added.isEmpty { return }
      let isAsked = wait != nil || added.allSatisfy { $0.0.pacing != nil }
      let replies = try await lastEntries(of: added.map(\.0.key), isAsked: isAsked)
      for ((follower, shown), reply) in zip(added, replies) {
        if let refusal = reply.refusal {
          follower.end(.refused(refusal))
          continue
        }
        let position = begin(follower, shown, StreamEntry.entries(reply).last)
        if let pacing = follower.pacing {
          paced.add(follower, pacing, after: position)
        } else if streams[follower.key, default: FollowedStream()].add(follower, after: position) {
          endWait()
        }
      }
    }

    /// Tells a follower where the stream stands, and returns the position after which it goes on.
    private func begin(_ follower: StreamFollower, _ shown: EntryID?, _ last: StreamEntry?) -> EntryID {
      guard let shown else {
        follower.send([last.map { .current($0) } ?? .empty])
        return last?.id ?? .zero
      }
      if let last, last.id > shown {
        guard follower.pacing != nil else { return shown }
        follower.send([.current(last)])
        return last.id
      }
      // The server may have come back with older data, which isn't shown (8.08). Whatever is written after it is new.
      follower.send([.unchanged])
      return serverTime < shown.epoch ? last?.id ?? .zero : shown
    }

    /// Reads the last entries of streams, not too many at a time.
    ///
    /// Unless the other connection is to be asked, they are read over the one that `XREAD` goes over later. If the server
    /// is started again, that connection is lost, so entries never arrive over it that are older than those found here.
    private func lastEntries(of keys: [[UInt8]], isAsked: Bool) async throws(RedisError.Reason) -> [RedisReply] {
      var replies: [RedisReply] = []
      let count = batch.count
      for first in stride(from: 0, to: keys.count, by: count) {
        let part = keys[first..<min(first + count, keys.count)]
        let commands = [RedisCommand("TIME")] + part.map { RedisCommand.lastEntry(of: $0) }
        do {
          let found =
            if isAsked { try await ask(commands) } else {
              try await self.replies(to: commands, over: connectedReading())
            }
          serverTime = found[0].milliseconds ?? 0
          replies += found.dropFirst()
        } catch {
          if part.count > 1 { batch.shrink() }
          throw error
        }
      }
      return replies
    }
  }

  /// Reading.
  extension StreamReader {
    /// Waits until there are entries, or somebody has woken the task, or it is time for something else.
    private func read() async throws(RedisError.Reason) {
      if streams.isEmpty {
        // Those with a pace need no connection of their own.
        if wait == nil { dropReading() }
      } else if wait == nil {
        try await request()
      }
      try await endWaitIfDue()
      let next = [wait?.end?.next, nextCheck, paced.next].lazy.compactMap { $0 }.min() ?? nextCheck
      await wake.wait(until: next, on: loop)
      if let reply = try reading?.replyIfPresent() { try await receive(reply) }
      if .now >= nextCheck { try await check() }
      try await readPaced()
    }

    /// Reads the newest entries for those followers that want to know them now.
    private func readPaced() async throws(RedisError.Reason) {
      let now = ContinuousClock.now
      let keys = paced.dueKeys(at: now)
      if keys.isEmpty { return }
      for (key, reply) in zip(keys, try await lastEntries(of: keys, isAsked: true)) {
        if let refusal = reply.refusal {
          for follower in paced.followers where follower.key == key { follower.end(.refused(refusal)) }
          inbox.withLock { $0.hasEnded = true }
        } else {
          paced.pass(StreamEntry.entries(reply).last, of: key, dueAt: now, serverTime: serverTime)
        }
      }
    }

    private func request() async throws(RedisError.Reason) {
      let channel = try await connectedReading()
      try await prepareToRead()
      let limit = Int64((endpoint.replyTimeout / .milliseconds(1)).rounded(.up))
      let count = batch.count
      var command = RedisCommand("XREAD", "COUNT", "\(count)", "BLOCK", "\(limit)", "STREAMS")
      // The order of a dictionary doesn't change between these two loops.
      for key in streams.keys { command.append(key) }
      for index in streams.values.indices { command.append("\(streams.values[index].request())") }
      var bytes: [UInt8] = []
      command.encode(to: &bytes)
      try channel.send(
        bytes, replies: 1, within: TimeLimit(limit: endpoint.replyTimeout * 2, named: endpoint.replyTimeout))
      wait = Wait(count: count)
    }

    /// Lets the wait for entries end soon, because it isn't for all that are needed.
    private func endWait() { if wait?.end == nil { wait?.end = (.now, .milliseconds(1)) } }

    private func endWaitIfDue() async throws(RedisError.Reason) {
      guard let end = wait?.end, .now >= end.next else { return }
      if try await unblock() {
        wait?.end = nil
      } else {
        // The server hasn't seen `XREAD` yet, or the reply is on its way.
        wait?.end = (.now + end.pause, min(end.pause * 2, .milliseconds(256)))
      }
    }

    private func receive(_ reply: RedisReply) async throws(RedisError.Reason) {
      contact.note()
      let count = wait?.count ?? 0
      wait = nil
      if let refusal = reply.refusal {
        // The server has become a replica. It still lets the streams be read, but not over this connection.
        if refusal.hasPrefix("UNBLOCKED ") { return dropReading() }
        // One of the streams can't be read. If it isn't found, nobody can read.
        let before = streams.count
        try await check()
        if streams.count == before { throw .refused(refusal) }
      }
      var (batches, first, isFull): ([(StreamFollower, ArraySlice<StreamEntry>)], Int, Bool) = ([], 0, false)
      for index in 0..<reply.count {
        let (key, entries) = (reply[index]?[0]?.bytes ?? [], StreamEntry.entries(reply[index]?[1]))
        if index == 0 { first = entries.count }
        if entries.count >= count { isFull = true }
        if let taken = streams[key]?.take(entries) { batches += taken }
      }
      if isFull { batch.noteFullReply() }
      // If there are many, the server can look for more while these are passed on; few are passed on sooner.
      if reply.count + first > Self.few { try await request() }
      for (follower, entries) in batches { follower.send(entries.lazy.map { .entry($0) }) }
    }
  }

  /// Checks.
  extension StreamReader {
    /// Looks for streams that can't be read any more, and for those that were deleted and began anew: their ids are
    /// smaller than those that `XREAD` waits for.
    private func check() async throws(RedisError.Reason) {
      nextCheck = .now + endpoint.replyTimeout
      let suspects = try await suspiciousStreams()
      for (key, reply) in zip(suspects, try await lastEntries(of: suspects, isAsked: wait != nil)) {
        if let refusal = reply.refusal {
          for each in streams[key]?.followers ?? [] { each.follower.end(.refused(refusal)) }
          streams[key] = nil
        } else if let result = streams[key]?.compare(with: StreamEntry.entries(reply).last?.id) {
          if result.waits { nextCheck = min(nextCheck, .now + .milliseconds(500)) }
          if result.beginsAnew { endWait() }
        }
      }
    }

    /// The streams whose last entries, which may be large, have to be read.
    ///
    /// The others exist or are yet to come, and their outlets' numbers haven't begun anew. They can't if they are times in
    /// the past; then a stream with smaller ones is an older copy, which is never shown (8.08).
    private func suspiciousStreams() async throws(RedisError.Reason) -> [[UInt8]] {
      let keys = Array(streams.keys)
      let commands = keys.flatMap { key in
        [RedisCommand("TYPE", of: key), RedisCommand("GET", of: key + Array(RedisCommand.counterSuffix.utf8))]
      }
      let replies = try await ask(commands + [RedisCommand("TIME")])
      serverTime = replies[commands.count].milliseconds ?? 0
      return keys.enumerated().filter { index, key in
        let (type, counter) = (replies[2 * index].text, replies[2 * index + 1].outletNumber ?? 0)
        let epoch = streams[key]?.epoch ?? 0
        if ["stream", "none"].contains(type), counter >= epoch || serverTime >= epoch {
          streams[key]?.noteCurrent()
          return false
        }
        return true
      }.map(\.element)
    }
  }
#endif
