#if Redis
  /// The streams that are read entry by entry, by their keys, in the order in which they were added.
  struct FollowedStreams<Follower: Hashable & Sendable> {
    private var all: [[UInt8]: FollowedStream<Follower>] = [:]
    private(set) var keys: [[UInt8]] = []

    var isEmpty: Bool { all.isEmpty }
    var count: Int { all.count }
    var followers: [Follower] { keys.flatMap { all[$0]?.all ?? [] } }

    subscript(_ key: [UInt8]) -> FollowedStream<Follower>? {
      get { all[key] }
      _modify { yield &all[key] }
    }

    mutating func add(_ follower: Follower, to key: [UInt8], after position: EntryID) {
      if all[key] == nil { keys.append(key) }
      all[key, default: FollowedStream()].add(follower, after: position)
    }

    mutating func remove(_ key: [UInt8]) {
      if all.removeValue(forKey: key) != nil { keys.removeAll { $0 == key } }
    }

    /// Removes followers of some streams; returns the keys of those that have none left.
    mutating func remove(_ gone: Set<Follower>, of keys: [[UInt8]]) -> [[UInt8]] {
      let left = keys.filter { key in
        guard all[key]?.remove(gone) ?? false else { return false }
        all[key] = nil
        return true
      }
      if !left.isEmpty { self.keys.removeAll { all[$0] == nil } }
      return left
    }
  }

  /// A stream and its followers.
  ///
  /// Each follower has a position of its own: the entries after it are still to come. A read for all of them begins at
  /// the smallest.
  struct FollowedStream<Follower: Hashable & Sendable> {
    private var followers: [(follower: Follower, position: EntryID)] = []
    /// The positions that the last `XREAD` of each kind was sent with; nil if the stream isn't part of it.
    private var (resting, lively): (EntryID?, EntryID?) = (nil, nil)
    /// How long the stream has been behind its followers.
    private var behind = Patience()

    var all: [Follower] { followers.map { $0.follower } }

    /// Whether the last `XREAD` for resting streams misses entries that a follower needs.
    var isMissed: Bool { resting.map { position < $0 } ?? true }

    /// The position to read from.
    private var position: EntryID { followers.lazy.map { $0.position }.min() ?? .zero }

    mutating func add(_ follower: Follower, after position: EntryID) { followers.append((follower, position)) }

    /// Moves a follower to another place; returns whether it is one.
    mutating func move(_ follower: Follower, to position: EntryID) -> Bool {
      guard let index = followers.firstIndex(where: { $0.follower == follower }) else { return false }
      followers[index].position = position
      return true
    }

    /// Removes followers; returns whether none are left.
    mutating func remove(_ gone: Set<Follower>) -> Bool {
      followers.removeAll { gone.contains($0.follower) }
      return followers.isEmpty
    }

    private func requested(by line: ReadingLine) -> EntryID? { line == .lively ? lively : resting }

    /// Notes that `XREAD` asks for what follows the position, which is returned; or that it doesn't ask for the stream.
    @discardableResult
    mutating func request(by line: ReadingLine, asks: Bool = true) -> EntryID {
      let position = position
      if line == .lively { lively = asks ? position : nil } else { resting = asks ? position : nil }
      return position
    }

    /// Moves the followers past the entries that the last `XREAD` has returned; returns who receives which.
    ///
    /// A follower that was before the place where `XREAD` began would miss what is between, and waits for the next one.
    mutating func take(
      _ entries: [StreamEntry], from line: ReadingLine
    ) -> [(follower: Follower, entries: ArraySlice<StreamEntry>)] {
      guard let requested = requested(by: line), let last = entries.last?.id else { return [] }
      let entries = followers.count > 1 ? shared(entries) : entries
      var received: [(Follower, ArraySlice<StreamEntry>)] = []
      for index in followers.indices {
        let (follower, position) = followers[index]
        guard position >= requested else { continue }
        received.append((follower, entries.drop { $0.id <= position }))
        followers[index].position = max(position, last)
      }
      return received
    }

    /// Lets the followers decode values once, unless these take much memory: each follower takes all entries before
    /// the next one does.
    private func shared(_ entries: [StreamEntry]) -> [StreamEntry] {
      let byteCount = entries.reduce(0) { $0 + ($1.value?.count ?? 0) }
      guard entries.count == 1 || byteCount <= Self.sharedByteCount else { return entries }
      return entries.map { entry in
        var entry = entry
        entry.shared = SharedValue(among: followers.count)
        return entry
      }
    }

    private static var sharedByteCount: Int { 64 << 10 }

    /// The followers for which the last `XREAD` has asked.
    func readFollowers(by line: ReadingLine) -> [Follower] {
      guard let requested = requested(by: line) else { return [] }
      return followers.filter { $0.position >= requested }.map { $0.follower }
    }

    /// Compares the followers with the last entry of the stream, nil if there is none.
    ///
    /// If it has a smaller number, the stream was deleted and has begun anew, because the server's clock was set back.
    /// Or the server has an older copy of it, and the outlet is about to write what is missing. Returns whether the
    /// followers wait for that, or have been sent back to the beginning.
    mutating func compare(with last: EntryID?, at now: Moment) -> (waits: Bool, beginsAnew: Bool) {
      guard isBehind(last?.epoch ?? .max), let last else { return (false, false) }
      guard behind.isOver(at: now) else { return (true, false) }
      behind.end()
      for index in followers.indices where last.epoch < followers[index].position.epoch {
        followers[index].position = .zero
      }
      return (false, true)
    }

    /// Whether a follower's position has a greater epoch; notes otherwise that the stream isn't behind.
    mutating func isBehind(_ epoch: UInt64) -> Bool {
      if followers.contains(where: { epoch < $0.position.epoch }) { return true }
      behind.end()
      return false
    }
  }
#endif
