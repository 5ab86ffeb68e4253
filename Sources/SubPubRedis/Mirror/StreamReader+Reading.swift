#if Redis
  import SubPub

  /// Reading.
  extension StreamReader {
    /// Whether a wait for the resting streams is under way.
    var isWaiting: Bool { readings[.resting]?.wait != nil }

    /// Waits until there are entries, or somebody has woken the task, or it is time for something else.
    func read() async throws(RedisError.Reason) {
      if !isWaiting {
        lively.settle(at: .now)
        // Those with a pace need no connection of their own.
        if streams.isEmpty { dropReading(.resting) } else { try await request(.resting) }
        // So that a server that takes no further connection says so now.
        if asking == nil { _ = try await ask([RedisCommand("TIME")]) }
      }
      if readings[.lively]?.wait == nil { try await request(.lively) }
      await wake.wait(until: unchecked != nil ? .now : min(nextCheck, paced.next ?? nextCheck), on: loop)
      for kind in Reading.Kind.allCases where readings[kind]?.wait != nil {
        if let reply = try readings[kind]?.channel?.replyIfPresent() { try await receive(reply, from: kind) }
      }
      if unchecked != nil || .now >= nextCheck { try await checkSome() }
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

    private func request(_ kind: Reading.Kind) async throws(RedisError.Reason) {
      let keys = kind == .lively ? Array(lively.keys) : streams.keys.filter { !lively.contains($0) }
      guard !keys.isEmpty, let count = readings[kind]?.batch.count else { return }
      let channel = try await connectedReading(kind)
      // Nobody ends the wait for those that rest, and the others are asked for again and again until it is over.
      let limit = kind == .lively ? LivelyStreams.wait : min(endpoint.replyTimeout, .seconds(5))
      var command = RedisCommand("XREAD", "COUNT", "\(count)", "BLOCK", limit.wholeMilliseconds, "STREAMS")
      for key in keys { command.append(key) }
      for key in keys { command.append("\(streams[key]?.request(by: kind) ?? .zero)") }
      if kind == .resting { for key in lively.keys { streams[key]?.request(by: kind, asks: false) } }
      var bytes: [UInt8] = []
      command.encode(to: &bytes)
      let timeout = endpoint.replyTimeout
      let time = TimeLimit(limit: limit + timeout, named: timeout, arrival: timeout * 2)
      try channel.send(bytes, replies: 1, within: time)
      readings[kind]?.wait = Reading.Wait(count: count, keys: keys)
    }

    /// Lets a stream be asked for soon if the wait that is under way misses some of its entries.
    func noteMissed(_ key: [UInt8]) {
      if isWaiting, streams[key]?.isMissed ?? false { lively.add(key, at: .now) }
    }

    private func receive(_ reply: RedisReply, from kind: Reading.Kind) async throws(RedisError.Reason) {
      contact.note()
      guard let reading = readings[kind], let wait = reading.wait else { return }
      readings[kind]?.wait = nil
      if let refusal = reply.refusal {
        // The server has become a replica. It still lets the streams be read, but not over this connection.
        if refusal.hasPrefix("UNBLOCKED ") { return dropReading(kind) }
        // One of the streams can't be read. If it isn't found, nobody can read.
        let before = streams.count
        try await check()
        if streams.count == before { throw .refused(refusal) }
        return
      }
      // Otherwise a server that answers with something else would be asked again and again.
      guard reply.isNil || reply.count > 0 else { throw .unreachable("the reply to XREAD isn't a list of streams") }
      var (batches, first, isFull): ([(StreamFollower, ArraySlice<StreamEntry>)], Int, Bool) = ([], 0, false)
      let before = changed.isEmpty ? [] : wait.keys.filter { changed.remove($0) != nil }
      for index in 0..<reply.count {
        let (key, entries) = (Array(reply[index]?[0]?.bytes ?? []), StreamEntry.entries(reply[index]?[1]))
        if index == 0 { first = entries.count }
        if entries.count >= wait.count { isFull = true }
        changed.insert(key)
        guard let taken = streams[key]?.take(entries, from: kind) else { continue }
        batches += taken
        lively.noteEntries(of: key, among: streams.count, at: .now)
      }
      reading.batch.noteReply(isFull: isFull)
      let caughtUp = before.filter { !changed.contains($0) }.flatMap { streams[$0]?.readFollowers(by: kind) ?? [] }
      // If there are many, the server can look for more while these are passed on; few are passed on sooner.
      if reply.count + first > Self.few { try await request(kind) }
      for (follower, entries) in batches { follower.send(entries.lazy.map { .entry($0) }) }
      for follower in caughtUp { follower.send([.caughtUp]) }
    }
  }

  extension Duration {
    /// For a command: not 0, which stands for a wait without an end.
    fileprivate var wholeMilliseconds: String { "\(max(1, Int64((self / .milliseconds(1)).rounded(.up))))" }
  }

  /// Checks.
  extension StreamReader {
    /// How many streams are looked at before what has arrived is passed on.
    private static let checkedAtOnce = 256

    /// Looks at all streams now.
    private func check() async throws(RedisError.Reason) {
      unchecked = nil
      repeat { try await checkSome() } while unchecked != nil
    }

    /// Looks at some streams: whether they can't be read any more, or were deleted and began anew.
    ///
    /// The ids of the latter are smaller than those that `XREAD` waits for.
    private func checkSome() async throws(RedisError.Reason) {
      if unchecked == nil {
        nextCheck = .now + endpoint.replyTimeout
        if lively.isEmpty, readings[.lively]?.wait == nil { dropReading(.lively) }
      }
      let rest = unchecked ?? Array(streams.keys)[...]
      unchecked = rest.count > Self.checkedAtOnce ? rest.dropFirst(Self.checkedAtOnce) : nil
      let keys = rest.prefix(Self.checkedAtOnce).filter { streams[$0] != nil }
      let suspects = try await suspiciousStreams(among: keys)
      for (key, reply) in zip(suspects, try await lastEntries(of: suspects, isAsked: isWaiting)) {
        if let refusal = reply.refusal {
          for each in streams[key]?.followers ?? [] { each.follower.end(.refused(refusal)) }
          remove(key)
        } else if let result = streams[key]?.compare(with: StreamEntry.entries(reply).last?.id) {
          if result.waits { nextCheck = min(nextCheck, .now + .milliseconds(500)) }
          if result.beginsAnew { noteMissed(key) }
        }
      }
      for key in keys { for each in streams[key]?.followers ?? [] { each.follower.send([.checked]) } }
    }

    /// The streams whose last entries, which may be large, have to be read.
    ///
    /// The others exist or are yet to come, and their outlets' numbers haven't begun anew. They can't if they are times
    /// in the past; then a stream with smaller ones is an older copy, which is never shown (8.08).
    private func suspiciousStreams(among keys: [[UInt8]]) async throws(RedisError.Reason) -> [[UInt8]] {
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
