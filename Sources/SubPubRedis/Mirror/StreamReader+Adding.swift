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
      if let wait = readings[.resting]?.wait, lively.areTooMany(besides: wait.keys.count, at: .now) {
        dropReading(.resting)
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

    func lastEntries(of keys: [[UInt8]], isAsked: Bool) async throws(RedisError.Reason) -> [RedisReply] {
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
#endif
