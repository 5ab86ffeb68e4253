#if Redis
  import SubPub

  /// A stream and its followers.
  ///
  /// Each follower has a position of its own: the entries after it are still to come. A read for all of them begins at
  /// the smallest.
  struct FollowedStream {
    /// How long a stream has to be behind its followers before it counts as begun anew.
    ///
    /// An outlet that runs looks every second whether the server has lost its number or its last state.
    static let patience: Duration = .seconds(2)

    private(set) var followers: [(follower: StreamFollower, position: EntryID)] = []
    /// The positions that the last `XREAD` of each kind was sent with; nil if the stream isn't part of it.
    private var (resting, lively): (EntryID?, EntryID?) = (nil, nil)
    /// Since when the stream has been behind its followers.
    private var isBehindSince: ContinuousClock.Instant?

    /// The greatest epoch of a follower's position.
    var epoch: UInt64 { followers.lazy.map(\.position.epoch).max() ?? 0 }

    /// Whether the last `XREAD` for resting streams misses entries that a follower needs.
    var isMissed: Bool { resting.map { position < $0 } ?? true }

    /// The position to read from.
    private var position: EntryID { followers.lazy.map(\.position).min() ?? .zero }

    mutating func add(_ follower: StreamFollower, after position: EntryID) { followers.append((follower, position)) }

    /// Removes followers that have ended; returns whether any are left.
    mutating func removeEnded() -> Bool {
      followers.removeAll { $0.follower.hasEnded }
      return !followers.isEmpty
    }

    func requested(by kind: Reading.Kind) -> EntryID? { kind == .resting ? resting : lively }

    /// Notes that `XREAD` asks for what follows the position, which is returned; or that it doesn't ask for the stream.
    @discardableResult
    mutating func request(by kind: Reading.Kind, asks: Bool = true) -> EntryID {
      let position = position
      switch kind {
      case .resting: resting = asks ? position : nil
      case .lively: lively = asks ? position : nil
      }
      return position
    }

    /// Moves the followers past the entries that the last `XREAD` has returned; returns who receives which.
    ///
    /// A follower that was before the place where `XREAD` began would miss what is between, and waits for the next one.
    mutating func take(
      _ entries: [StreamEntry], from kind: Reading.Kind
    ) -> [(StreamFollower, ArraySlice<StreamEntry>)] {
      guard let requested = requested(by: kind), let last = entries.last?.id else { return [] }
      var received: [(StreamFollower, ArraySlice<StreamEntry>)] = []
      for index in followers.indices {
        let (follower, position) = followers[index]
        guard position >= requested else { continue }
        received.append((follower, entries.drop { $0.id <= position }))
        followers[index].position = max(position, last)
      }
      return received
    }

    /// The followers for which the last `XREAD` has asked.
    func readFollowers(by kind: Reading.Kind) -> [StreamFollower] {
      guard let requested = requested(by: kind) else { return [] }
      return followers.filter { $0.position >= requested }.map(\.follower)
    }

    /// Compares the followers with the last entry of the stream, nil if there is none.
    ///
    /// If it has a smaller number, the stream was deleted and has begun anew, because the server's clock was set back.
    /// Or the server has an older copy of it, and the outlet is about to write what is missing. Returns whether the
    /// followers wait for that, or have been sent back to the beginning.
    mutating func compare(with last: EntryID?) -> (waits: Bool, beginsAnew: Bool) {
      guard let last, last.epoch < epoch else {
        noteCurrent()
        return (false, false)
      }
      let since = isBehindSince ?? .now
      guard since.duration(to: .now) >= Self.patience else {
        isBehindSince = since
        return (true, false)
      }
      noteCurrent()
      for index in followers.indices where last.epoch < followers[index].position.epoch {
        followers[index].position = .zero
      }
      return (false, true)
    }

    /// Notes that the stream isn't behind its followers.
    mutating func noteCurrent() { isBehindSince = nil }
  }
#endif
