#if Redis
  public import SubPub

  /// Writes the states of a publisher to a Redis stream, for the ``RedisMirror``s of other processes.
  ///
  /// ```swift
  /// import SubPub
  /// import SubPubRedis
  ///
  /// let weather = LoadingManager(label: "weather") { "sunny" }
  /// let outlet = RedisOutlet(weather.publisher, key: "weather", endpoint: RedisEndpoint())
  /// try await outlet.run()
  /// ```
  ///
  /// Every state that the publisher accepts while ``run()`` is active becomes an entry of the stream, in order. The
  /// identity of an entry is the outlet's number and the state's version, so the server takes each state once, even if
  /// it is written again because a reply was lost (8.02).
  ///
  /// An outlet that begins while its publisher has no data keeps the data that the key has: a `loading` or an `error`
  /// without data is written with it as the previous data, and a publisher that has never published writes nothing.
  /// Only `reset()` clears it.
  ///
  /// Publishing never waits for the server (8.04). While the server can't be reached, the newest `maxLength` states are
  /// kept and the others are dropped and counted.
  ///
  /// An outlet that another one has superseded never writes again, whatever the server has lost since; the living one
  /// restores what is missing within about a second (8.08). So an outlet that has been out of contact for three seconds
  /// waits for a little more than a second before it goes on. If the server has lost data meanwhile, or was started
  /// again, the outlet waits for twice the endpoint's timeout, and at least three seconds.
  ///
  /// An outlet takes over, looks, and ends with scripts, which the server runs in one step. It needs the commands
  /// `AUTH` and `SELECT` as the endpoint says, `EVAL`, `XADD`, `XRANGE`, and `XREVRANGE` on its key, `GET` and `SET` on
  /// the key with `:epoch` appended, and `TIME`. With `XSETID` on its key, the server refuses what the outlet before
  /// has sent as soon as this one takes over, and it restores a last entry that somebody has deleted; with `INFO`, it
  /// waits less often.
  public final class RedisOutlet<Value: Codable & Sendable>: Sendable {
    let publisher: any StatePublisher<Value>
    let key: String
    let endpoint: RedisEndpoint
    let maxLength: Int
    let role: RedisOutletRole
    let coder: RedisCoder<Value>
    let retry: RetryPolicy
    let clock: any Clock<Duration>
    let instrumentation: (any RedisInstrumentation)?
    let attemptFailed: @Sendable (RedisError) -> Void
    let counts = OutletCounts()

    /// Creates an outlet, which writes nothing until it runs.
    ///
    /// - Parameters:
    ///   - publisher: The publisher, which the outlet keeps; a derived one, or a ``RedisMirror``, which makes this
    ///     outlet a relay.
    ///   - key: The key of the stream.
    ///   - endpoint: The server.
    ///   - maxLength: How many states the stream holds, about a hundred more from 1,000 on. While there is no
    ///     connection, the outlet keeps as many, plus the last one that was confirmed and those that were on their way
    ///     (at most half as many, and at most 512).
    ///   - role: What the outlet does when another one has the key.
    ///   - coder: Encodes the values.
    ///   - retry: Whether and when to try again without a connection.
    ///   - clock: Measures the delays between attempts, and the time that a cancelled outlet has left.
    ///   - instrumentation: Is told about the connections.
    ///   - attemptFailed: Called after each attempt to connect or to write that fails and is repeated, on no particular
    ///     thread; for logs. If a connection that has worked is closed while it is idle, that isn't a failure. While it
    ///     runs, the outlet writes nothing.
    /// - Precondition: `maxLength` is at least 1. A lease is at least a second, and at most a day.
    public init(
      _ publisher: some StatePublisher<Value>, key: String, endpoint: RedisEndpoint, maxLength: Int = 10_000,
      role: RedisOutletRole = .takeOver, coder: RedisCoder<Value> = .json(),
      retry: RetryPolicy = .exponential(
        maxAttempts: .max, initial: .milliseconds(100), maximum: .seconds(5), jitter: 0.5),
      clock: any Clock<Duration> = ContinuousClock(), instrumentation: (any RedisInstrumentation)? = nil,
      attemptFailed: @escaping @Sendable (RedisError) -> Void = { _ in }
    ) {
      guard maxLength >= 1 else {
        stopForMisuse("maxLength is \(maxLength), but the current state needs room: give 1 or more")
      }
      if case .standby(let lease) = role, lease < .seconds(1) || lease > .seconds(86_400) {
        stopForMisuse("the lease is \(lease): give at least a second, and at most a day")
      }
      (self.publisher, self.key, self.endpoint, self.maxLength) = (publisher, key, endpoint, maxLength)
      (self.role, self.coder, self.retry, self.clock) = (role, coder, retry, clock)
      (self.instrumentation, self.attemptFailed) = (instrumentation, attemptFailed)
    }

    /// Writes the current state and every later one, until the task is cancelled, or the publisher is finished.
    ///
    /// Takes the key over from any outlet that is running, or waits for its end, as the role says. Unless that one has
    /// ended by itself before, writing begins about three seconds later, when it has noticed (8.08). When the task is
    /// cancelled, or the publisher is finished, everything that it has accepted so far is written before the call
    /// returns.
    ///
    /// - Throws: ``RedisSuperseded`` when another outlet has taken over the key. The clock's error if the clock fails.
    ///   ``RedisError``
    ///   - when the server doesn't let the outlet in, or the key isn't a stream,
    ///   - when the server has refused to write for longer than the endpoint's ``RedisEndpoint/replyTimeout``, because
    ///     it is full or a replica, for example,
    ///   - when no attempt to connect is left,
    ///   - when a cancelled outlet can't write its last states within the timeout; it ends within twice the timeout
    ///     after the cancel (8.07).
    public func run() async throws {
      if Task.isCancelled { return }
      try await OutletRun(self).run()
    }

    /// What has been written and dropped so far, in all runs.
    public var statistics: RedisStatistics { counts.statistics }

    /// How the connection is doing.
    public var health: RedisHealth { counts.health }
  }

  /// What a ``RedisOutlet`` does when another one has its key.
  ///
  /// All outlets of a key have the same role.
  public enum RedisOutletRole: Hashable, Sendable {
    /// Takes the key over, and the other one ends with ``RedisSuperseded`` (8.02).
    case takeOver
    /// Waits until the other one has ended, or hasn't renewed its lease for this long, and then takes over (8.09).
    ///
    /// So two processes can run the same service: one of them writes, and the other takes its place. It begins with the
    /// state that its own publisher has at that moment. One that was cut off for longer than the lease ends with
    /// ``RedisSuperseded`` when it comes back; run it again, and it is the one that waits.
    ///
    /// The lease is renewed at every third of its time, and those that wait look at every quarter. Choose it so long
    /// that a process that is busy doesn't miss that.
    ///
    /// It is held in the key with `:lease` appended, which needs the commands `GET`, `SET`, `PTTL`, `PEXPIRE`, and
    /// `DEL` there. If the server has lost it, and another outlet has the key, this one waits for a whole lease before
    /// it takes over. When its publisher finishes while it waits, its run ends, and has written nothing.
    case standby(lease: Duration)
  }

  extension RedisOutlet {
    /// Tells the instrumentation something, if there is one.
    func tell(_ event: (any RedisInstrumentation, RedisPart) -> Void) {
      if let instrumentation { event(instrumentation, RedisPart(isOutlet: true, key: key, endpoint: endpoint)) }
    }

    func error(_ reason: RedisError.Reason) -> RedisError {
      RedisError(endpoint: endpoint, key: key, reason: reason)
    }
  }
#endif
