#if Redis
  public import SubPub

  /// What an operator wants to know about the connections of outlets and mirrors: implement it to write logs and
  /// metrics.
  ///
  /// Give it to a ``RedisOutlet`` or a ``RedisMirror``. All functions are called while no lock is held, on no
  /// particular thread, and the outlet or the mirror waits for them, so keep them short. Each does nothing by default.
  ///
  /// ```swift
  /// import SubPub
  /// import SubPubRedis
  ///
  /// struct Log: RedisInstrumentation {
  ///   func connected(_ part: RedisPart, isWriting: Bool) { print("\(part) \(isWriting ? "writes" : "is connected")") }
  ///   func superseded(_ part: RedisPart) { print("\(part) is superseded") }
  /// }
  /// ```
  public protocol RedisInstrumentation: Instrumentation {
    /// A server has answered: a mirror reads, an outlet writes, or an outlet stands by.
    ///
    /// - Parameters:
    ///   - part: The outlet or the mirror.
    ///   - isWriting: Whether it is the outlet that writes the key from now on.
    func connected(_ part: RedisPart, isWriting: Bool)

    /// The connection was lost, or the run has ended; what is written or read next goes over another one.
    func disconnected(_ part: RedisPart)

    /// Another outlet has taken the key over (8.02).
    func superseded(_ part: RedisPart)

    /// The server has refused a command.
    func refused(_ part: RedisPart, _ error: RedisError)
  }

  extension RedisInstrumentation {
    /// Does nothing.
    public func connected(_ part: RedisPart, isWriting: Bool) {}
    /// Does nothing.
    public func disconnected(_ part: RedisPart) {}
    /// Does nothing.
    public func superseded(_ part: RedisPart) {}
    /// Does nothing.
    public func refused(_ part: RedisPart, _ error: RedisError) {}
  }

  /// The outlet or the mirror that an instrumentation is told about.
  public struct RedisPart: Hashable, Sendable, CustomStringConvertible {
    /// Whether it is an outlet.
    public let isOutlet: Bool
    /// The key of the stream.
    public let key: String
    /// The server.
    public let endpoint: RedisEndpoint

    /// Creates a description, for tests of instrumentations.
    ///
    /// - Parameters:
    ///   - isOutlet: Whether it is an outlet.
    ///   - key: The key of the stream.
    ///   - endpoint: The server.
    public init(isOutlet: Bool, key: String, endpoint: RedisEndpoint) {
      (self.isOutlet, self.key, self.endpoint) = (isOutlet, key, endpoint)
    }

    /// In words: `outlet of news at 127.0.0.1:6379/0`.
    public var description: String { "\(isOutlet ? "outlet" : "mirror") of \(key) at \(endpoint)".onOneLine }
  }
#endif
