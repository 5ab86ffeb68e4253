#if Redis
  import SubPub

  /// Followers that want only the newest entry of their streams, now and then.
  struct PacedStreams {
    private struct Paced {
      let follower: StreamFollower
      let pacing: Duration
      var position: EntryID
      var next: ContinuousClock.Instant
      /// Since when the stream has been behind the follower.
      var isBehindSince: ContinuousClock.Instant?
    }

    private var all: [Paced] = []

    var isEmpty: Bool { all.isEmpty }
    var followers: [StreamFollower] { all.map(\.follower) }
    /// When the next one wants to know; nil without followers.
    var next: ContinuousClock.Instant? { all.lazy.map(\.next).min() }

    /// Adds a follower, which has just been told the newest entry.
    mutating func add(_ follower: StreamFollower, _ pacing: Duration, after position: EntryID) {
      all.append(Paced(follower: follower, pacing: pacing, position: position, next: .now + pacing))
    }

    mutating func removeEnded() { all.removeAll { $0.follower.hasEnded } }

    /// The keys of those that want to know now, each once.
    func dueKeys(at now: ContinuousClock.Instant) -> [[UInt8]] {
      Array(Set(all.lazy.filter { $0.next <= now }.map(\.follower.key)))
    }

    /// Passes the newest entry of a stream on to those that were due.
    ///
    /// An entry with a smaller number than the one before was written by an outlet that has begun anew, or comes from
    /// an older copy of the stream. Numbers are times, and the server's shows that an outlet with a greater one has
    /// existed: then it is a copy, which is never shown. Otherwise, its outlet is given some time to write what is
    /// missing (8.08).
    mutating func pass(_ last: StreamEntry?, of key: [UInt8], dueAt due: ContinuousClock.Instant, serverTime: UInt64) {
      let now = ContinuousClock.now
      for index in all.indices where all[index].next <= due && all[index].follower.key == key {
        let next = all[index].next + all[index].pacing
        // Intervals that were missed aren't made up for.
        all[index].next = next > now ? next : now + all[index].pacing
        guard let last else { continue }
        if last.id.epoch < all[index].position.epoch {
          if serverTime >= all[index].position.epoch { continue }
          let since = all[index].isBehindSince ?? now
          all[index].isBehindSince = since
          if since.duration(to: now) < FollowedStream.patience { continue }
        }
        all[index].isBehindSince = nil
        guard last.id != all[index].position else {
          all[index].follower.send([.caughtUp])
          continue
        }
        all[index].position = last.id
        all[index].follower.send([.entry(last)])
      }
    }
  }
#endif
