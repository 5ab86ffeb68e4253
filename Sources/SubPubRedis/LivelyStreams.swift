#if Redis
  import SubPub

  /// The streams that are asked for apart from those that rest.
  ///
  /// Nobody ends a wait for entries early, because behind a balanced address only the connection itself reaches the
  /// server that waits. So what the long wait misses (a stream that was added, or has begun anew) is lively until the
  /// next one begins.
  struct LivelyStreams {
    /// How long the server waits for their entries: how long another stream waits until it is one of them.
    static let wait: Duration = .milliseconds(20)

    /// Until when each of them is lively, even if a new wait for those that rest begins.
    private var ends: [[UInt8]: ContinuousClock.Instant] = [:]

    var isEmpty: Bool { ends.isEmpty }
    var count: Int { ends.count }
    var keys: some Collection<[UInt8]> { ends.keys }

    func contains(_ key: [UInt8]) -> Bool { ends[key] != nil }

    /// Adds a stream that the wait for those that rest misses.
    mutating func add(_ key: [UInt8], at now: ContinuousClock.Instant) { ends[key] = ends[key] ?? now }

    mutating func remove(_ key: [UInt8]) { ends[key] = nil }

    /// Lets those rest that the wait that begins now includes.
    mutating func settle(at now: ContinuousClock.Instant) { ends = ends.filter { $0.value > now } }
  }
#endif
