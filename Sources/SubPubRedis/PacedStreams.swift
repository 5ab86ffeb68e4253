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

    /// Passes the newest entry of a stream on to those that are due.
    ///
    /// An entry with a smaller number than the one before was written by an outlet that has begun anew, or comes from an
    /// older copy of the stream; that one's outlet is given some time to write what is missing (8.08).
    mutating func pass(_ last: StreamEntry?, of key: [UInt8], at now: ContinuousClock.Instant) {
      for index in all.indices where all[index].next <= now && all[index].follower.key == key {
        // Not from now on, which may be late; but missed intervals aren't made up for.
        all[index].next = max(all[index].next + all[index].pacing, now)
        guard let last else { continue }
        if last.id.epoch < all[index].position.epoch {
          let since = all[index].isBehindSince ?? now
          all[index].isBehindSince = since
          if since.duration(to: now) < FollowedStream.patience { continue }
        }
        all[index].isBehindSince = nil
        guard last.id != all[index].position else { continue }
        all[index].position = last.id
        all[index].follower.send([.entry(last)])
      }
    }
  }
#endif
