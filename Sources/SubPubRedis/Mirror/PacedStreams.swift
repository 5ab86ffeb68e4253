#if Redis
  /// Followers that want only the newest entry of their streams, now and then.
  struct PacedStreams<Follower: Hashable & Sendable> {
    private struct Paced {
      let follower: Follower
      let key: [UInt8]
      let pacing: Duration
      var position: EntryID
      var next: Moment
      /// How long the stream has been behind the follower.
      var behind = Patience()
    }

    private var all: [Paced] = []

    var isEmpty: Bool { all.isEmpty }
    var followers: [Follower] { all.map { $0.follower } }
    /// When the next one wants to know; nil without followers.
    var next: Moment? { all.lazy.map { $0.next }.min() }

    /// Adds a follower, which has just been told the newest entry.
    mutating func add(
      _ follower: Follower, to key: [UInt8], _ pacing: Duration, after position: EntryID, at now: Moment
    ) {
      all.append(Paced(follower: follower, key: key, pacing: pacing, position: position, next: now + pacing))
    }

    /// Lets a follower have what comes after a place, now.
    mutating func move(_ follower: Follower, to position: EntryID, at now: Moment) {
      guard let index = all.firstIndex(where: { $0.follower == follower }) else { return }
      (all[index].position, all[index].next) = (position, now)
    }

    /// Lets a follower know by a time, which may be before its next interval.
    mutating func look(_ follower: Follower, by time: Moment) {
      guard let index = all.firstIndex(where: { $0.follower == follower }) else { return }
      all[index].next = min(all[index].next, time)
    }

    mutating func remove(_ gone: Set<Follower>) { all.removeAll { gone.contains($0.follower) } }

    /// Removes the followers of a stream, and returns them.
    mutating func remove(_ key: [UInt8]) -> [Follower] {
      defer { all.removeAll { $0.key == key } }
      return all.filter { $0.key == key }.map { $0.follower }
    }

    /// The keys of those that want to know now, each once.
    func dueKeys(at now: Moment) -> [[UInt8]] {
      var found: Set<[UInt8]> = []
      return all.lazy.filter { $0.next <= now }.map { $0.key }.filter { found.insert($0).inserted }
    }

    /// Returns what the newest entries of their streams mean to the followers that were due.
    ///
    /// `found` has nil for a stream without entries.
    ///
    /// An entry with a smaller number than the one before was written by an outlet that has begun anew, or comes from
    /// an older copy of the stream. Numbers are times, and the server's shows that an outlet with a greater one has
    /// existed: then it is a copy, which is never shown. Otherwise, its outlet is given some time to write what is
    /// missing (8.08).
    mutating func take(
      _ found: [[UInt8]: StreamEntry?], dueAt due: Moment, serverTime: UInt64, at now: Moment
    ) -> [(follower: Follower, event: StreamEvent)] {
      var events: [(Follower, StreamEvent)] = []
      for index in all.indices where all[index].next <= due {
        guard let last = found[all[index].key] else { continue }
        let next = all[index].next + all[index].pacing
        // Intervals that were missed aren't made up for.
        all[index].next = next > now ? next : now + all[index].pacing
        guard let last else { continue }
        if last.id.epoch < all[index].position.epoch {
          if serverTime >= all[index].position.epoch || !all[index].behind.isOver(at: now) { continue }
        }
        all[index].behind.end()
        let isNew = last.id != all[index].position
        all[index].position = last.id
        events.append((all[index].follower, isNew ? .entry(last) : .caughtUp))
      }
      return events
    }
  }

  /// How long a stream has been behind what was shown of it.
  ///
  /// An outlet that runs looks every second whether the server has lost its number or its last state. So a stream that
  /// stays behind for longer has begun anew.
  struct Patience {
    private static var time: Duration { .seconds(2) }

    private var start: Moment?

    /// When it has lasted for long enough; nil if it isn't behind.
    var limit: Moment? { start.map { $0 + Self.time } }

    /// Whether it has lasted for long enough; it begins now unless it has begun before.
    mutating func isOver(at now: Moment) -> Bool {
      let start = start ?? now
      self.start = start
      return now >= start + Self.time
    }

    mutating func end() { start = nil }
  }
#endif
