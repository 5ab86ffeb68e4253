#if Redis
  import SubPub

  /// Adding.
  extension StreamReader {
    /// Asks for the last entries of the streams of new followers, so that these are current at once.
    func begin(_ added: [(StreamFollower, StreamPosition)]) async throws(RedisError.Reason) {
      if added.isEmpty { return }
      let isAsked = isWaiting || added.allSatisfy { $0.0.pacing != nil }
      let replies = try await lastEntries(of: added.map(\.0.key), isAsked: isAsked)
      let lasts = replies.map { StreamEntry.entries($0).last }
      let places = try await places(of: added, lasts, isAsked: isAsked)
      for (index, (follower, position)) in added.enumerated() {
        if let refusal = replies[index].refusal {
          follower.end(.refused(refusal))
          continue
        }
        let next = try await passSlowEntry(follower, position, lasts[index], places[index])
        let position = begin(follower, next ?? position, lasts[index], places[index])
        if let pacing = follower.pacing {
          paced.add(follower, pacing, after: position)
        } else {
          streams[follower.key, default: FollowedStream()].add(follower, after: position)
          noteMissed(follower.key)
        }
      }
    }

    /// Tells a follower where the stream stands, and returns the position after which it goes on.
    private func begin(
      _ follower: StreamFollower, _ position: StreamPosition, _ last: StreamEntry?, _ place: PlaceSearch.Place?
    ) -> EntryID {
      switch (position, place) {
      case (.newest, _):
        follower.send([last.map { .current($0) } ?? .empty])
        return last?.id ?? .zero
      case (.after(let shown), _), (.afterPublications, .after(let shown)):
        if let last, last.id > shown {
          guard follower.pacing != nil else { return shown }
          follower.send([.current(last)])
          return last.id
        }
        // The server may have come back with older data, which isn't shown (8.08). Whatever is written after it is new.
        follower.send([.unchanged])
        return serverTime < shown.epoch ? last?.id ?? .zero : shown
      case (.afterPublications, _):
        follower.send([.behind(last)])
        // So that what waits is shown in time.
        nextCheck = min(nextCheck, .now + FollowedStream.patience)
        return last?.id ?? .zero
      }
    }

    /// Reads the next entry of a stream by itself if it may take too long, or leaves it out if it does; returns where
    /// to go on, or nil if nothing is known about the stream.
    private func passSlowEntry(
      _ follower: StreamFollower, _ position: StreamPosition, _ last: StreamEntry?, _ place: PlaceSearch.Place?
    ) async throws(RedisError.Reason) -> StreamPosition? {
      let shown: EntryID
      switch (position, place) {
      case (.after(let id), _), (.afterPublications, .after(let id)): shown = id
      default: return nil
      }
      guard follower.pacing == nil, let last, last.id > shown else { return nil }
      switch slow.takeStep(for: follower.key) {
      case .reads: return nil
      case .skips: return .newest
      case .probes:
        do {
          var command = RedisCommand("XREAD", "COUNT", "1", "STREAMS")
          command.append(follower.key)
          command.append("\(shown)")
          guard let entry = StreamEntry.entries(try await ask([command])[0][0]?[1]).first else { return nil }
          follower.send([.entry(entry)])
          return .after(entry.id)
        } catch {
          if asking?.connection.isTooSlow ?? false { slow.noteSlowEntry(of: follower.key) }
          throw error
        }
      }
    }

    /// Finds the places where the followers go on that have followed another server.
    private func places(
      of added: [(StreamFollower, StreamPosition)], _ lasts: [StreamEntry?], isAsked: Bool
    ) async throws(RedisError.Reason) -> [Int: PlaceSearch.Place] {
      var (searches, count): ([Int: PlaceSearch], Int) = ([:], 1)
      for (index, each) in added.enumerated() {
        guard case .afterPublications(let shown) = each.1 else { continue }
        var search = PlaceSearch(shown)
        search.note(lasts[index].map { [$0] } ?? [], isBeginning: lasts[index] == nil)
        searches[index] = search
      }
      while true {
        let open = searches.filter { $0.value.place == nil }
        if open.isEmpty { return searches.compactMapValues(\.place) }
        count = min(count * 2, asked.count)
        let commands = open.map { RedisCommand.entries(of: added[$0].0.key, downFrom: $1.next, count) }
        for (index, reply) in zip(open.keys, try await replies(to: commands, count, isAsked: isAsked)) {
          let entries = StreamEntry.entries(reply)
          searches[index]?.note(entries, isBeginning: entries.count < count)
        }
      }
    }

    private func lastEntries(of keys: [[UInt8]], isAsked: Bool) async throws(RedisError.Reason) -> [RedisReply] {
      try await replies(to: keys.map { .lastEntry(of: $0) }, 1, isAsked: isAsked)
    }

    /// Reads so many entries of each of some streams, not too many at a time.
    ///
    /// Unless the other connection is to be asked, they are read over the one that `XREAD` goes over later. If the
    /// server is started again, that connection is lost, so entries never arrive over it that are older than those
    /// found here.
    private func replies(
      to commands: [RedisCommand], _ entries: Int, isAsked: Bool
    ) async throws(RedisError.Reason) -> [RedisReply] {
      var replies: [RedisReply] = []
      let count = max(1, asked.count / entries)
      for first in stride(from: 0, to: commands.count, by: count) {
        let part = commands[first..<min(first + count, commands.count)]
        let commands = [RedisCommand("TIME")] + part
        do {
          let found =
            if isAsked { try await ask(commands) } else {
              try await self.replies(to: commands, over: connectedReading(.resting))
            }
          serverTime = found[0].milliseconds ?? 0
          replies += found.dropFirst()
          asked.noteReply(isFull: part.count == count)
        } catch {
          if part.count > 1 || entries > 1 { asked.shrink() }
          throw error
        }
      }
      return replies
    }
  }

  /// Reading.
  extension StreamReader {
    /// Whether a wait for the resting streams is under way.
    private var isWaiting: Bool { readings[.resting]?.wait != nil }

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
      await wake.wait(until: [nextCheck, paced.next].lazy.compactMap { $0 }.min() ?? nextCheck, on: loop)
      for kind in Reading.Kind.allCases where readings[kind]?.wait != nil {
        if let reply = try readings[kind]?.channel?.replyIfPresent() { try await receive(reply, from: kind) }
      }
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
      try channel.send(bytes, replies: 1, within: TimeLimit(limit: limit + timeout, named: timeout, arrival: timeout * 2))
      readings[kind]?.wait = Reading.Wait(count: count, keys: keys)
    }

    /// Lets a stream be asked for soon if the wait that is under way misses some of its entries.
    private func noteMissed(_ key: [UInt8]) {
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
        if let taken = streams[key]?.take(entries, from: kind) { batches += taken }
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
    /// Looks for streams that can't be read any more, and for those that were deleted and began anew: their ids are
    /// smaller than those that `XREAD` waits for.
    private func check() async throws(RedisError.Reason) {
      nextCheck = .now + endpoint.replyTimeout
      if lively.isEmpty, readings[.lively]?.wait == nil { dropReading(.lively) }
      let suspects = try await suspiciousStreams()
      for (key, reply) in zip(suspects, try await lastEntries(of: suspects, isAsked: isWaiting)) {
        if let refusal = reply.refusal {
          for each in streams[key]?.followers ?? [] { each.follower.end(.refused(refusal)) }
          remove(key)
        } else if let result = streams[key]?.compare(with: StreamEntry.entries(reply).last?.id) {
          if result.waits { nextCheck = min(nextCheck, .now + .milliseconds(500)) }
          if result.beginsAnew { noteMissed(key) }
        }
      }
      for stream in streams.values { for each in stream.followers { each.follower.send([.checked]) } }
    }

    /// The streams whose last entries, which may be large, have to be read.
    ///
    /// The others exist or are yet to come, and their outlets' numbers haven't begun anew. They can't if they are times
    /// in the past; then a stream with smaller ones is an older copy, which is never shown (8.08).
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
