#if Redis
  import Foundation
  public import SubPub

  /// A publisher of the state that a ``RedisOutlet`` writes, in this process or in another.
  ///
  /// ```swift
  /// import SubPub
  /// import SubPubRedis
  ///
  /// let weather = RedisMirror<String>(key: "weather", endpoint: RedisEndpoint())
  /// let observation = weather.publisher.observe(on: .background) { print($0) }
  /// try await weather.run()
  /// ```
  ///
  /// While ``run()`` is active, the publisher changes to the current state of the stream, and then to every later one,
  /// in order (8.01). The data keeps its origin and its age. An error of the publishing process is a ``RemoteError``.
  ///
  /// A lost connection is an error with the previous data (8.04), within twice the endpoint's timeout (8.07). When
  /// there is a connection again, the mirror goes on where it was, and skips only what the stream doesn't hold any more
  /// (8.06). It never shows a state that is older than one it has shown, unless the outlet has begun anew (8.08). An
  /// entry that can't be decoded is an error, too, and the entries after it are read (8.05). Both are a ``RedisError``.
  ///
  /// All mirrors of a process that have equal endpoints share one thread, and two or three connections; at a cluster,
  /// only those whose keys have the same hash tag do. What is read is decoded and published on that thread, so a slow
  /// `.immediate` subscriber delays the other mirrors, but no outlet. `loading`, and errors of the connection, are
  /// published by ``run()`` where it was called.
  ///
  /// A mirror needs the commands `AUTH` and `SELECT` as the endpoint says, `XREAD`, `XREVRANGE`, and `TYPE` on its key,
  /// and `GET` on the key with `:epoch` appended. With `TIME`, it recognizes an older copy of the stream however long
  /// the outlet is cut off; without it, only for two seconds.
  public final class RedisMirror<Value: Codable & Sendable>: Manager, StatePublisher {
    /// The publisher of the state.
    ///
    /// If you change its state yourself, the next entry replaces it.
    public let publisher: Publisher<Value>
    /// What reading and subscribing need of this publisher.
    public var _access: StateAccess<Value> { publisher._access }

    private let settings: MirrorMachine.Settings
    private let retry: RetryPolicy
    let coder: RedisCoder<Value>
    let clock: any Clock<Duration>
    let instrumentation: (any RedisInstrumentation)?
    let state: Locked<MirrorState>
    /// What the last entry says, shown again once the server has confirmed that it is the last.
    let lastState = Locked(EntryState<Value>())

    /// Creates a mirror, whose state is unknown until it runs.
    ///
    /// Its parameters are those of the initializer for several servers.
    public convenience init(
      key: String, endpoint: RedisEndpoint, pacing: Duration? = nil, label: String? = nil,
      staleAfter: Duration? = nil, coder: RedisCoder<Value> = .json(),
      retry: RetryPolicy = .exponential(
        maxAttempts: .max, initial: .milliseconds(100), maximum: .seconds(5), jitter: 0.5),
      clock: any Clock<Duration> = ContinuousClock(), history: Int = 0, lagLimit: Duration? = nil,
      instrumentation: (any Instrumentation)? = nil
    ) {
      self.init(
        key: key, from: [endpoint], pacing: pacing, label: label, staleAfter: staleAfter, coder: coder, retry: retry,
        clock: clock,
        history: history, lagLimit: lagLimit, instrumentation: instrumentation)
    }

    /// Creates a mirror that reads from one of several servers, such as the replicas of one.
    ///
    /// It reads from the first one. When it can't, or loses the connection, it goes on to the next, and after the last
    /// one to the first again; it pauses, as `retry` says, only when all of them have failed. A replica that is behind
    /// doesn't take back what the mirror has shown (8.08).
    ///
    /// - Parameters:
    ///   - key: The key of the stream.
    ///   - endpoints: The servers.
    ///   - pacing: With an interval, the mirror reads only the newest entry, at most once in each interval, and counts
    ///     the others as skipped. For keys that change fast, or that many processes follow; nil to read every entry.
    ///   - label: A name for logs and debuggers.
    ///   - staleAfter: How long loaded data counts as fresh, from the time when it was new in the publishing process;
    ///     nil if it never becomes stale. Compares the system clocks of both machines.
    ///   - coder: Decodes the values.
    ///   - retry: Whether and when to try again without a connection.
    ///   - clock: Measures the delays between attempts, and `staleAfter`.
    ///   - history: How many publications are kept besides the current one, for clients that come back (6.05). They
    ///     have the identifiers of the publishing process, so a client may come back to any process that has a mirror.
    ///   - lagLimit: How long an entry may take from the outlet to this mirror, without the wait for its pace; one that
    ///     takes longer is an error with its data as the previous data, until the server was asked for more and had
    ///     nothing, which takes at most the reply timeout or the pace. Nil for no limit. Compares the system clocks of
    ///     both machines.
    ///   - instrumentation: Is told what happens to the publisher, and about the connections, if it is a
    ///     ``RedisInstrumentation``.
    /// - Precondition: There is a server. `pacing` and `lagLimit` are greater than zero. Neither `staleAfter` nor
    ///   `history` is negative.
    public init(
      key: String, from endpoints: [RedisEndpoint], pacing: Duration? = nil, label: String? = nil,
      staleAfter: Duration? = nil, coder: RedisCoder<Value> = .json(),
      retry: RetryPolicy = .exponential(
        maxAttempts: .max, initial: .milliseconds(100), maximum: .seconds(5), jitter: 0.5),
      clock: any Clock<Duration> = ContinuousClock(), history: Int = 0, lagLimit: Duration? = nil,
      instrumentation: (any Instrumentation)? = nil
    ) {
      if endpoints.isEmpty {
        stopForMisuse("the mirror of \(key) has no server to read from: give at least one endpoint")
      }
      if let pacing, pacing <= .zero {
        stopForMisuse("pacing is \(pacing): give more than zero, or nil to read everything")
      }
      if let lagLimit, lagLimit <= .zero { stopForMisuse("lagLimit is \(lagLimit): give more than zero, or nil") }
      // A relay hands the ages on, also without a limit for them.
      publisher = Publisher(
        label: label, staleAfter: staleAfter, measuringAgesBy: clock, history: history, instrumentation)
      (self.coder, self.retry, self.clock) = (coder, retry, clock)
      settings = MirrorMachine.Settings(key: key, endpoints: endpoints, pacing: pacing, lagLimit: lagLimit)
      state = Locked(MirrorState(machine: MirrorMachine(settings)))
      self.instrumentation = instrumentation as? any RedisInstrumentation
    }

    /// What has been read so far, in all runs.
    public var statistics: RedisStatistics { state.withLock(\.machine.statistics) }

    /// How the connection is doing.
    public var health: RedisHealth {
      state.withLock { state in
        let machine = state.machine
        return RedisHealth(
          isConnected: machine.isConnected, lastContact: state.contacts.lazy.compactMap(\.age).min(),
          lag: machine.lag, reconnects: machine.statistics.reconnects, error: machine.error.map { "\($0)" })
      }
    }

    /// Follows the stream until the task is cancelled.
    ///
    /// The state is `loading` until the server has answered. A stream that doesn't exist is
    /// `unknown`. When the call returns, the last state stays.
    ///
    /// - Throws: ``RedisError``, which is also the state, if the server refuses to let the stream be read, and refuses
    ///   again at the next attempt, or if no attempt to connect is left. The clock's error if the clock fails.
    /// - Precondition: The mirror isn't running.
    public func run() async throws {
      guard var step = state.withLock({ $0.machine.start(at: .now) }) else {
        stopForMisuse("run() of the mirror of \(key) is called while it runs: run each mirror once")
      }
      defer {
        let (wasConnected, _) = state.withLock { ($0.machine.stop(), $0.reader.take()) }
        if wasConnected { tell { $0.disconnected($1) } }
      }
      if Task.isCancelled { return }
      publisher.startLoading()
      while true {
        switch step {
        case .follow(let endpoint, let position):
          guard let reason = await follow(position, at: endpoint), !publisher.isFinished else { return }
          step = noteLoss(reason)
        case .rest(let failures, let error):
          guard let delay = retry.delay(after: failures, error) else { throw error }
          try await rest(for: delay)
          step = state.withLock { $0.machine.follow(at: .now) }
        case .fail(let error): throw error
        }
        if Task.isCancelled { return }
      }
    }

    /// Tries to connect now, if the connection was lost and the next attempt is still to come.
    ///
    /// A mirror can't make the publishing process load.
    public func refreshIfNeeded() { state.withLock { $0.pause }?.cancel() }
  }

  /// What a mirror's lock guards, besides its last state.
  ///
  /// It isn't nested in the mirror, where it would be generic, and every access would look for its type.
  struct MirrorState {
    var machine: MirrorMachine
    /// Kept between attempts, for what it knows about the server.
    var reader: StreamReader?
    /// When the server that is read from has answered last, and the one before it.
    var contacts: [LastContact] = []
    /// The wait before the next attempt to connect.
    var pause: Task<Void, any Error>?
  }

  extension RedisMirror {
    var key: String { settings.key }
    /// The server that is read from, or that is tried next.
    private var endpoint: RedisEndpoint { state.withLock(\.machine.endpoint) }

    func error(_ reason: RedisError.Reason) -> RedisError { state.withLock { $0.machine.error(reason) } }

    func tell(at endpoint: RedisEndpoint? = nil, _ event: (any RedisInstrumentation, RedisPart) -> Void) {
      guard let instrumentation else { return }
      event(instrumentation, RedisPart(isOutlet: false, key: key, endpoint: endpoint ?? self.endpoint))
    }

    /// Follows the stream until the connection fails, which returns the reason, or the task is cancelled.
    private func follow(_ position: StreamPosition, at endpoint: RedisEndpoint) async -> RedisError.Reason? {
      let reader = RedisClient.shared(for: endpoint).reader
      state.withLock { state in
        state.reader = reader
        if !state.contacts.contains(where: { $0 === reader.contact }) {
          state.contacts = state.contacts.suffix(1) + [reader.contact]
        }
      }
      let follower = StreamFollower(of: key) { [self] in receive($0) }
      return await follower.follow(position, pacing: settings.pacing, by: reader)
    }

    /// Shows that the stream can't be followed any more; returns what comes next.
    private func noteLoss(_ reason: RedisError.Reason) -> MirrorMachine.Step {
      let (endpoint, loss) = state.withLock { ($0.machine.endpoint, $0.machine.lost(reason, at: .now)) }
      if loss.wasConnected { tell(at: endpoint) { $0.disconnected($1) } }
      if let error = loss.error {
        if case .refused = reason { tell(at: endpoint) { $0.refused($1, error) } }
        publisher.setError(error)
      }
      return loss.next
    }

    /// Waits, unless somebody asks for an attempt now.
    private func rest(for time: Duration) async throws {
      // In one step: whoever sees that it sleeps may wake it. The former one, which may hold a foreign error, is
      // returned, too, so that it outlives the lock.
      let pause = state.withLock { state in
        let (pause, former) = (Task { [clock] in try await clock.pause(for: time) }, state.pause)
        state.pause = pause
        return (pause, former)
      }.0
      try await withTaskCancellationHandler {
        do { try await pause.value } catch  where !pause.isCancelled { throw error } catch { /* Woken. */  }
      } onCancel: {
        pause.cancel()
      }
    }
  }

  extension RedisMirror: CustomStringConvertible {
    /// The key, the server, and the publisher.
    public var description: String { "RedisMirror of \(key) at \(endpoint): \(publisher)".onOneLine }
  }
#endif
