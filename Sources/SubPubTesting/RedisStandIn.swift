#if Redis
  public import SubPubRedis

  /// An in-memory stand-in for a Redis server, for tests of code that has outlets and mirrors.
  ///
  /// It listens on a Unix socket in a temporary folder of its own, and knows the commands that `RedisOutlet` and
  /// `RedisMirror` send. So these run as they do with a server, and a test decides when it goes down or loses its data.
  /// Anybody may log in. Each stand-in has its own data and one thread. All of it goes when the object is released, so
  /// keep the object for as long as something uses it.
  ///
  /// Call its functions from any thread.
  public final class RedisStandIn: Sendable {
    /// The endpoint for the outlets and mirrors.
    public let endpoint: RedisEndpoint
    private let sockets: StandInSockets

    /// Creates a stand-in without data, which listens.
    ///
    /// The folder is in `TMPDIR`, or else in `/tmp`.
    ///
    /// - Throws: `RedisError.Reason` if the folder or the socket can't be made.
    public init() throws {
      sockets = try StandInSockets()
      endpoint = RedisEndpoint(unixSocket: sockets.path)
      do { try sockets.begin() } catch {
        sockets.end()
        throw error
      }
    }

    deinit { sockets.end() }

    /// Ends all connections, as a server does that is restarted at once.
    ///
    /// The data stays.
    public func disconnectAll() { sockets.disconnect(goesOn: true) }

    /// Ends all connections, and refuses new ones until ``start()``, as a server does that is down.
    ///
    /// The data stays. Does nothing if it has stopped already.
    public func stop() { sockets.disconnect(goesOn: false) }

    /// Takes connections again.
    ///
    /// Does nothing if it hasn't stopped.
    ///
    /// - Throws: `RedisError.Reason` if the socket can't be made.
    public func start() throws { try sockets.begin() }

    /// Removes all data, as `FLUSHALL` does.
    public func removeAll() { sockets.removeAll() }

    /// Returns how many entries the stream of a key has.
    ///
    /// - Parameter key: The key of an outlet or a mirror.
    /// - Returns: 0 if there is no stream.
    public func entryCount(of key: String) -> Int { sockets.entryCount(of: key) }
  }
#endif
