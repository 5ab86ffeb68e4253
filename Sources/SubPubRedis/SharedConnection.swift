#if Redis
  import SubPub

  /// A connection that several outlets share, with one check for all of their keys (8.08, 8.10).
  ///
  /// The check asks every second for the numbers of the outlets and the lengths of their streams. An outlet whose key
  /// is as it was has nothing to do; the others are woken, and look themselves.
  final class SharedConnection: Sendable {
    private static let mostUsers = 128
    /// How often the keys are looked at.
    static let checkInterval: Duration = .seconds(1)

    private let client: RedisClient
    private let state = Locked(State())
    private let connecting = AsyncSemaphore()
    /// Limits how many outlets begin at a time, so that they don't hold up those that write, and the next ones use the
    /// memory that they have needed.
    let beginning = AsyncSemaphore(permits: 4)

    private struct State {
      var users: [ObjectIdentifier: KeyWatch] = [:]
      var connection: RedisConnection?
      /// Why the last attempt to connect has failed, and when.
      var failure: (reason: RedisError.Reason, time: ContinuousClock.Instant)?
      var checks: Task<Void, Never>?

      var living: RedisConnection? { connection?.failure == nil ? connection : nil }
    }

    init(_ client: RedisClient) { self.client = client }

    var isUnused: Bool { state.withLock { $0.users.isEmpty } }

    /// Adds an outlet; returns false if there are enough.
    func add(_ user: KeyWatch) -> Bool {
      state.withLock { state in
        guard state.users.count < Self.mostUsers else { return false }
        state.users[ObjectIdentifier(user)] = user
        return true
      }
    }

    /// Removes an outlet, and ends the connection if that was the last one.
    func remove(_ user: KeyWatch) {
      let (connection, checks) = state.withLock { state -> (RedisConnection?, Task<Void, Never>?) in
        state.users[ObjectIdentifier(user)] = nil
        return state.users.isEmpty ? (state.connection.take(), state.checks.take()) : (nil, nil)
      }
      checks?.cancel()
      connection?.close()
      client.remove(self)
    }

    /// Returns the connection, which is made if there is none.
    ///
    /// All outlets that ask at the same time share one attempt and its result.
    func connected() async throws -> RedisConnection {
      let time = ContinuousClock.now
      if let living = state.withLock(\.living) { return living }
      return try await connecting.withPermit {
        let (living, failure) = state.withLock { ($0.living, $0.failure) }
        if let living { return living }
        if let failure, failure.time >= time { throw failure.reason }
        do throws(RedisError.Reason) {
          let connection = try await client.connect(on: client.loop)
          use(connection)
          return connection
        } catch {
          if !Task.isCancelled { state.withLock { $0.failure = (error, .now) } }
          throw error
        }
      }
    }

    private func use(_ connection: RedisConnection) {
      let checks = Task(executorPreference: client.loop) { [self] in await check(over: connection) }
      let former = state.withLock { state in
        defer { (state.connection, state.checks) = (connection, checks) }
        return state.checks
      }
      former?.cancel()
    }
  }

  /// The check.
  extension SharedConnection {
    private func check(over connection: RedisConnection) async {
      let channel = RedisChannel(connection)
      defer { channel.close() }
      do {
        while connection.failure == nil {
          try await Task.sleep(until: client.tick(after: .now + Self.checkInterval))
          try await check(over: channel)
        }
      } catch { /* Cancelled; or the connection was lost, and the outlets know that. */  }
    }

    private func check(over channel: RedisChannel) async throws(RedisError.Reason) {
      let time = ContinuousClock.now
      var (asked, questions): ([(KeyWatch, KeyWatch.Expectation)], [UInt8]) = ([], [])
      for user in state.withLock({ Array($0.users.values) }) {
        switch user.knowledge {
        case .none: break
        case .outdated: user.wake.set()
        case .expects(let expectation):
          asked.append((user, expectation))
          questions += user.questions
        }
      }
      if asked.isEmpty { return }
      let replies = try await channel.replies(to: questions, count: asked.count * 2)
      for (index, (user, expectation)) in asked.enumerated() {
        let isAsExpected =
          replies[2 * index].outletNumber == expectation.number
          && replies[2 * index + 1].integer == expectation.length
        user.note(isAsExpected, expectation, at: time)
      }
    }
  }

  /// What the check of a connection knows of an outlet's key.
  final class KeyWatch: Sendable {
    /// How the key was when the outlet has looked at it last.
    struct Expectation: Equatable {
      let number: UInt64
      let length: Int64
      /// Tells a look from those before.
      fileprivate let look: Int
    }

    enum Knowledge: Equatable {
      /// The outlet has no connection that it writes to, and looks when it has one.
      case none
      /// The outlet has written something since it looked.
      case outdated
      case expects(Expectation)
    }

    /// The encoded commands that ask for the number and the length.
    let questions: [UInt8]
    let certainty: OutletCertainty
    /// Wakes the outlet's connecting task.
    let wake = Wake()
    private let state = Locked((knowledge: Knowledge.none, looks: 0))

    init(_ keys: OutletKeys, _ certainty: OutletCertainty) {
      var questions: [UInt8] = []
      for command in [RedisCommand("GET", keys.counter), RedisCommand("XLEN", keys.stream)] {
        command.encode(to: &questions)
      }
      self.questions = questions
      self.certainty = certainty
    }

    var knowledge: Knowledge { state.withLock { $0.knowledge } }

    func expect(number: UInt64, length: Int64) {
      state.withLock { state in
        state.looks += 1
        state.knowledge = .expects(Expectation(number: number, length: length, look: state.looks))
      }
    }

    /// Notes that the key changes, because the outlet writes.
    func noteWriting() { state.withLock { $0.knowledge = .outdated } }

    /// Notes that the outlet doesn't write any more.
    func noteEnd() { state.withLock { $0.knowledge = .none } }

    fileprivate func note(_ isAsExpected: Bool, _ expectation: Expectation, at time: ContinuousClock.Instant) {
      // The outlet may have written something in the meantime.
      let counts = state.withLock { state in
        guard state.knowledge == .expects(expectation) else { return false }
        if !isAsExpected { state.knowledge = .outdated }
        return true
      }
      guard counts else { return }
      if isAsExpected { certainty.verify(at: time) } else { wake.set() }
    }
  }
#endif
