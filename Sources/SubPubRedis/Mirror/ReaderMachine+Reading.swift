#if Redis
  import SubPub

  /// Waiting for entries.
  extension ReaderMachine {
    /// How many entries are passed on before more are asked for.
    private static var few: Int { 16 }

    /// Whether a wait for the resting streams is under way.
    var isWaiting: Bool { self[.resting].wait != nil }

    /// Lets the server wait for entries of all streams.
    mutating func requestEntries(at now: Moment) {
      guard checks.refusal == nil else { return }
      if !isWaiting, inquiry?.line != .resting {
        lively.settle(at: now)
        // Those with a pace need no connection of their own.
        if !streams.isEmpty { request(over: .resting) } else if arrivals.isEmpty { close(.resting) }
      }
      if self[.lively].wait == nil { request(over: .lively) }
    }

    private mutating func request(over line: ReadingLine) {
      let keys =
        line == .lively ? lively.keys : lively.isEmpty ? streams.keys : streams.keys.filter { !lively.contains($0) }
      guard !keys.isEmpty else { return }
      if self[line].isBehind { self[line].batch.begin(withNothing: false) }
      self[line].isBehind = false
      let count = self[line].batch.count
      // Nothing ends the wait for those that rest, and the others are asked for again and again until it is over.
      let limit = line == .lively ? LivelyStreams.wait : min(replyTimeout, .seconds(5))
      var command = RedisCommand("XREAD", "COUNT", "\(count)", "BLOCK", limit.wholeMilliseconds, "STREAMS")
      command.reserve(keys.reduce(0) { $0 + $1.count + 40 })
      for key in keys { command.append(key) }
      for key in keys {
        let position = streams[key]?.request(by: line) ?? .zero
        command.append(position.epoch, position.version)
      }
      if line == .resting { for key in lively.keys { streams[key]?.request(by: line, asks: false) } }
      let time = TimeLimit(limit: limit + replyTimeout, named: replyTimeout, arrival: replyTimeout * 2)
      send(Message(bytes: command.encoded, replyCount: 1, limit: time), over: line)
      self[line].wait = Connection.Wait(count: count, keys: keys)
    }

    /// Lets a stream be asked for soon if the wait that is under way misses some of its entries; the next reply may be
    /// large if there are some.
    mutating func noteMissed(_ key: [UInt8], isBehind: Bool, at now: Moment) {
      if isBehind { self[isWaiting ? .lively : .resting].isBehind = true }
      if isWaiting, streams[key]?.isMissed ?? false { lively.add(key, at: now) }
    }

    /// `XREAD` has returned.
    mutating func receive(
      _ reply: RedisReply, to wait: Connection.Wait, over line: ReadingLine, at now: Moment
    ) {
      if let refusal = reply.refusal {
        // The server has become a replica. It still lets the streams be read, but not over this connection.
        if refusal.hasPrefix("UNBLOCKED ") { return close(line) }
        // One of the streams can't be read. It may have been found meanwhile.
        if wait.keys.allSatisfy({ streams[$0] != nil }) { checks.begin(because: refusal) }
        return
      }
      // Otherwise a server that answers with something else would be asked again and again.
      guard reply.isNil || reply.count > 0 else {
        return fail(.unreachable("the reply to XREAD isn't a list of streams"))
      }
      var (received, first, isFull): ([(follower: Follower, entries: ArraySlice<StreamEntry>)], Int, Bool) = (
        [], 0, false
      )
      let before = changed.isEmpty ? [] : wait.keys.filter { changed.remove($0) != nil }
      for index in 0..<reply.count {
        let (key, entries) = (Array(reply[index]?[0]?.bytes ?? []), StreamEntry.entries(reply[index]?[1]))
        if index == 0 { first = entries.count }
        if entries.count >= wait.count { isFull = true }
        guard let taken = streams[key]?.take(entries, from: line) else { continue }
        changed.insert(key)
        received += taken
        lively.noteEntries(of: key, among: streams.count, at: now)
        slow.remove(key)
      }
      self[line].batch.noteReply(isFull: isFull)
      let caughtUp = before.filter { !changed.contains($0) }.flatMap { streams[$0]?.readFollowers(by: line) ?? [] }
      // If there are many, the server can look for more while these are passed on; few are passed on sooner.
      // The sum is about as many entries as have arrived.
      if reply.count + first > Self.few { requestEntries(at: now) }
      for (follower, entries) in received { act(.passEntries(entries, follower)) }
      for follower in caughtUp { act(.pass(.caughtUp, follower)) }
    }
  }
#endif
