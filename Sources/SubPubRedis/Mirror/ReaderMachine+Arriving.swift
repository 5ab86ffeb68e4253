#if Redis
  import SubPub

  /// Newcomers.
  extension ReaderMachine {
    /// Followers that are being told where their streams stand.
    struct Arrivals {
      struct Arrival {
        var newcomer: Newcomer
        var last: StreamEntry?
        var search: PlaceSearch?
        /// Whether the next entry was read by itself.
        var isProbed = false
        /// Whether it has ended meanwhile.
        var isOver = false
      }

      /// The connection over which that is asked.
      ///
      /// If no wait is under way, it is the one over which `XREAD` goes later. A restart of the server closes it, so
      /// entries never arrive over it that are older than those found here.
      fileprivate let line: ReadingLine
      fileprivate(set) var all: [Arrival]
      fileprivate var firstIndex = 0
      /// Whether none of those without a pace has anything to read yet; nil if there are none.
      fileprivate var areCurrent: Bool?
      /// How many entries were asked for in the last search.
      fileprivate var count = 1

      init(_ newcomers: [Newcomer] = [], over line: ReadingLine = .asking) {
        (all, self.line) = (newcomers.map { Arrival(newcomer: $0) }, line)
      }

      var first: Arrival? { firstIndex < all.count ? all[firstIndex] : nil }
      var isEmpty: Bool { all[firstIndex...].allSatisfy { $0.isOver } }
      var newcomers: [Newcomer] { all[firstIndex...].lazy.filter { !$0.isOver }.map { $0.newcomer } }
      var followers: [Follower] { newcomers.map { $0.follower } }

      func followers(of key: [UInt8]) -> [Follower] { newcomers.lazy.filter { $0.key == key }.map { $0.follower } }

      mutating func remove(_ gone: Set<Follower>) {
        for index in all.indices where gone.contains(all[index].newcomer.follower) { all[index].isOver = true }
      }
    }

    /// Asks for the last entries of the streams of new followers, so that these are current at once.
    mutating func beginArrivals(at now: Moment) {
      if isUnused { checks.next = now + replyTimeout }
      let isAsked = isWaiting || newcomers.allSatisfy { $0.pacing != nil }
      arrivals = Arrivals(newcomers, over: isAsked ? .asking : .resting)
      newcomers = []
      ask(.lastEntries, arrivals.all.map { .lastEntry(of: $0.newcomer.key) }, over: arrivals.line)
    }

    mutating func receiveLastEntries(_ replies: [RedisReply], at now: Moment) {
      for (index, reply) in replies.enumerated() where !arrivals.all[index].isOver {
        let newcomer = arrivals.all[index].newcomer
        if let refusal = reply.refusal {
          arrivals.all[index].isOver = true
          act(.end(newcomer.follower, .refused(refusal)))
          continue
        }
        let last = StreamEntry.entries(reply).last
        arrivals.all[index].last = last
        if case .afterPublications(let shown) = newcomer.position {
          var search = PlaceSearch(shown)
          search.note(last.map { [$0] } ?? [], isBeginning: last == nil)
          arrivals.all[index].search = search
        }
      }
      findPlaces(at: now)
    }

    /// Searches for the places where followers go on that come from another server.
    private mutating func findPlaces(at now: Moment) {
      let open = arrivals.all.indices.filter { index in
        let arrival = arrivals.all[index]
        return !arrival.isOver && arrival.search.map { $0.place == nil } ?? false
      }
      if open.isEmpty { return settleArrivals(at: now) }
      arrivals.count = min(arrivals.count * 2, asked.count)
      let commands = open.map { index in
        let (key, next) = (arrivals.all[index].newcomer.key, arrivals.all[index].search?.next ?? "+")
        return RedisCommand.entries(of: key, downFrom: next, arrivals.count)
      }
      ask(.places(open), commands, arrivals.count, over: arrivals.line)
    }

    mutating func receivePlaces(_ replies: [RedisReply], of indices: [Int], at now: Moment) {
      for (index, reply) in zip(indices, replies) {
        let entries = StreamEntry.entries(reply)
        arrivals.all[index].search?.note(entries, isBeginning: entries.count < arrivals.count)
      }
      findPlaces(at: now)
    }

    /// Lets the newcomers follow their streams, one after the other.
    private mutating func settleArrivals(at now: Moment) {
      while let arrival = arrivals.first {
        if !arrival.isOver {
          if let (key, position) = slowEntry(before: arrival) {
            var command = RedisCommand("XREAD", "COUNT", "1", "STREAMS")
            command.append(key)
            command.append("\(position)")
            return ask(.entry, [command])
          }
          settle(at: now)
        }
        arrivals.firstIndex += 1
      }
      if let areCurrent = arrivals.areCurrent, !isWaiting { self[.resting].batch.begin(withNothing: areCurrent) }
      arrivals = Arrivals()
      if let wait = self[.resting].wait, lively.areTooMany(besides: wait.keys.count, at: now) { close(.resting) }
    }

    /// The place before an entry that has to be read by itself because it may take too long; one that does is left out.
    private mutating func slowEntry(before arrival: Arrivals.Arrival) -> (key: [UInt8], position: EntryID)? {
      let newcomer = arrival.newcomer
      guard newcomer.pacing == nil, let last = arrival.last, let shown = arrival.shown, last.id > shown else {
        return nil
      }
      if arrival.isProbed { return nil }
      switch slow.step(for: newcomer.key, after: shown) {
      case .reads: return nil
      case .skips:
        arrivals.all[arrivals.firstIndex].newcomer.position = .newest
        return nil
      case .probes: return (newcomer.key, shown)
      }
    }

    mutating func receiveEntry(_ replies: [RedisReply], at now: Moment) {
      arrivals.all[arrivals.firstIndex].isProbed = true
      if let arrival = arrivals.first, !arrival.isOver, let entry = StreamEntry.entries(replies[0][0]?[1]).first {
        act(.pass(.entry(entry), arrival.newcomer.follower))
        arrivals.all[arrivals.firstIndex].newcomer.position = .after(entry.id)
      }
      settleArrivals(at: now)
    }

    private mutating func settle(at now: Moment) {
      let arrival = arrivals.all[arrivals.firstIndex]
      let (newcomer, position) = (arrival.newcomer, begin(arrival, at: now))
      if let pacing = newcomer.pacing {
        paced.add(newcomer.follower, to: newcomer.key, pacing, after: position, at: now)
      } else {
        streams.add(newcomer.follower, to: newcomer.key, after: position)
        let isBehind = arrival.last.map { $0.id > position } ?? false
        arrivals.areCurrent = (arrivals.areCurrent ?? true) && !isBehind
        noteMissed(newcomer.key, isBehind: isBehind, at: now)
      }
    }

    /// Tells a follower where the stream stands, and returns the position after which it goes on.
    private mutating func begin(_ arrival: Arrivals.Arrival, at now: Moment) -> EntryID {
      let (follower, last) = (arrival.newcomer.follower, arrival.last)
      if case .newest = arrival.newcomer.position {
        act(.pass(last.map { .current($0) } ?? .empty, follower))
        return last?.id ?? .zero
      }
      guard let shown = arrival.shown else {
        act(.pass(.behind(last), follower))
        return last?.id ?? .zero
      }
      if let last, last.id > shown {
        guard arrival.newcomer.pacing != nil else {
          // What comes after that may be deleted before it is read.
          checks.waiting.insert(follower)
          return shown
        }
        act(.pass(.current(last), follower))
        return last.id
      }
      // The server may have come back with older data, which isn't shown (8.08). Whatever is written after it is new.
      act(.pass(.unchanged, follower))
      // Numbers are times, so a greater one than the server's time shows that its clock was set back.
      return serverTime < shown.epoch ? last?.id ?? .zero : shown
    }
  }

  extension ReaderMachine.Arrivals.Arrival {
    /// The last entry that the follower has shown, or one like it; nil if nothing is known about the stream.
    var shown: EntryID? {
      switch newcomer.position {
      case .newest: nil
      case .after(let id): id
      case .afterPublications: if case .after(let id) = search?.place { id } else { nil }
      }
    }
  }
#endif
