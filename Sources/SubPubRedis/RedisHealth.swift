#if Redis
  import SubPub

  /// How a ``RedisOutlet`` or a ``RedisMirror`` is doing, for checks and admin pages.
  public struct RedisHealth: Hashable, Codable, Sendable {
    /// Whether there is a connection that works, as far as is known.
    public var isConnected: Bool
    /// Whether this is the outlet that writes, and not one that waits to take over; false for a mirror.
    public var isWriting: Bool
    /// How long ago the server has answered last; nil if it never has.
    public var lastContact: Duration?
    /// How far this is behind; nil if that isn't known.
    ///
    /// For an outlet, how long ago it has taken the first state that the server hasn't confirmed; zero if there is
    /// none. For a mirror, how long its last entry took from the outlet, which compares the system clocks of both
    /// machines; zero for an entry that was there when the mirror asked. The wait for a mirror's pace doesn't count.
    public var lag: Duration?
    /// How often a lost connection was replaced.
    public var reconnects: Int
    /// How many states an outlet still has to write; zero for a mirror.
    public var pending: Int
    /// Why there is no connection, described; nil if there is one, or none was lost.
    public var error: String?

    /// Creates a description, for tests of code that uses it.
    ///
    /// - Parameters:
    ///   - isConnected: Whether there is a connection.
    ///   - isWriting: Whether it is the outlet that writes.
    ///   - lastContact: How long ago the server has answered last.
    ///   - lag: How far this is behind.
    ///   - reconnects: How often a lost connection was replaced.
    ///   - pending: How many states still have to be written.
    ///   - error: Why there is no connection.
    public init(
      isConnected: Bool, isWriting: Bool = false, lastContact: Duration? = nil, lag: Duration? = nil,
      reconnects: Int = 0, pending: Int = 0, error: String? = nil
    ) {
      (self.isConnected, self.isWriting, self.lastContact, self.lag) = (isConnected, isWriting, lastContact, lag)
      (self.reconnects, self.pending, self.error) = (reconnects, pending, error)
    }
  }

  /// For JSON that checks and admin pages can read.
  extension RedisHealth {
    private enum CodingKeys: String, CodingKey {
      case isConnected, isWriting, lastContact, lag, reconnects, pending, error
    }

    /// Encodes the times in seconds; what isn't known is left out.
    public func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(isConnected, forKey: .isConnected)
      try container.encode(isWriting, forKey: .isWriting)
      try container.encodeIfPresent(lastContact.map { $0 / .seconds(1) }, forKey: .lastContact)
      try container.encodeIfPresent(lag.map { $0 / .seconds(1) }, forKey: .lag)
      try container.encode(reconnects, forKey: .reconnects)
      try container.encode(pending, forKey: .pending)
      try container.encodeIfPresent(error, forKey: .error)
    }

    /// Decodes what `encode(to:)` has encoded.
    ///
    /// - Throws: What the decoder throws, and an error if a count or a time is negative or too large (5.29).
    public init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      self.init(
        isConnected: try container.decode(Bool.self, forKey: .isConnected),
        isWriting: try container.decode(Bool.self, forKey: .isWriting),
        lastContact: try container.decodeSecondsIfPresent(forKey: .lastContact),
        lag: try container.decodeSecondsIfPresent(forKey: .lag),
        reconnects: try container.decodeCount(forKey: .reconnects),
        pending: try container.decodeCount(forKey: .pending),
        error: try container.decodeIfPresent(String.self, forKey: .error))
    }
  }

  extension KeyedDecodingContainer {
    /// Decodes a number of seconds that a `Duration` can count.
    fileprivate func decodeSecondsIfPresent(forKey key: Key) throws -> Duration? {
      guard let seconds = try decodeIfPresent(Double.self, forKey: key) else { return nil }
      guard (0...1e18).contains(seconds) else {
        throw DecodingError.damaged("\(seconds) can't be a number of seconds", at: codingPath + [key])
      }
      return .seconds(seconds)
    }
  }

  /// When a server has answered last.
  final class LastContact: Sendable {
    private let time = Locked<Moment?>(nil)

    func note() { time.withLock { $0 = .now } }

    var age: Duration? { time.withLock { $0 }.map { $0.duration(to: .now) } }
  }
#endif
