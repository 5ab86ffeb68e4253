#if Redis
  import SubPub

  /// The streams that are asked for apart from those that rest.
  ///
  /// Nobody ends a wait for entries early, because behind a balanced address only the connection itself reaches the
  /// server that waits. So what the long wait misses (a stream that was added, or has begun anew) is lively until the
  /// next one begins. If there are many streams, so is one that has had entries lately: the server doesn't look at all
  /// the others for each of its entries.
  struct LivelyStreams {
    /// How long the server waits for their entries, and so how long a stream that becomes lively waits at most to be
    /// asked for.
    static let wait: Duration = .milliseconds(20)
    /// So few streams are all asked for together.
    private static let few = 32
    /// How long a stream is lively after an entry.
    private static let liveliness: Duration = .seconds(2)

    /// Until when each of them is lively, even if a new wait for those that rest begins.
    private var ends: [[UInt8]: Moment] = [:]

    var isEmpty: Bool { ends.isEmpty }
    /// In an order of their own, so that the same events always lead to the same commands.
    var keys: [[UInt8]] { ends.keys.sorted { $0.lexicographicallyPrecedes($1) } }

    func contains(_ key: [UInt8]) -> Bool { ends[key] != nil }

    /// Adds a stream that the wait for those that rest misses.
    mutating func add(_ key: [UInt8], at now: Moment) { ends[key] = ends[key] ?? now }

    /// Notes that one of so many streams has had entries.
    mutating func noteEntries(of key: [UInt8], among count: Int, at now: Moment) {
      if count > Self.few { ends[key] = now + Self.liveliness }
    }

    mutating func remove(_ key: [UInt8]) { ends[key] = nil }

    /// Whether the wait for so many that rest misses too many, so that another one costs the server less.
    func areTooMany(besides restingCount: Int, at now: Moment) -> Bool {
      let limit = Self.few + restingCount / 16
      return ends.count > limit && ends.values.count { $0 <= now } > limit
    }

    /// Lets those rest that the wait that begins now includes.
    mutating func settle(at now: Moment) { ends = ends.filter { $0.value > now } }
  }
#endif
