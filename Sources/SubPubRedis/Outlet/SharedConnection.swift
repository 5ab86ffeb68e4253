#if Redis
  import SubPub

  /// A user of a shared connection.
  protocol ConnectionUser: AnyObject, Sendable {
    /// Tells the user about the connection it has asked for; called once for each ``SharedConnection/join(_:)``.
    func received(_ connection: Result<RedisConnection, RedisError.Reason>)
  }

  /// A connection that several outlets share (8.10).
  final class SharedConnection: Sendable {
    private static let mostUsers = 128

    let client: RedisClient
    private let state = Locked(State())

    private struct State {
      var users: Set<ObjectIdentifier> = []
      var waiting: [any ConnectionUser] = []
      var connection: RedisConnection?
      var attempt: (number: Int, task: Task<Void, Never>)?
      var lastAttempt = 0
    }

    init(_ client: RedisClient) { self.client = client }

    /// Adds a user; returns false if there are enough.
    func add(_ user: any ConnectionUser) -> Bool {
      state.withLock { state in
        guard state.users.count < Self.mostUsers else { return false }
        state.users.insert(ObjectIdentifier(user))
        return true
      }
    }

    /// Removes a user, and ends the connection if that was the last one.
    func remove(_ user: any ConnectionUser) {
      let (connection, attempt) = state.withLock { state -> (RedisConnection?, Task<Void, Never>?) in
        state.users.remove(ObjectIdentifier(user))
        state.waiting.removeAll { $0 === user }
        return state.users.isEmpty ? (state.connection.take(), state.attempt.take()?.task) : (nil, nil)
      }
      attempt?.cancel()
      connection?.close()
      client.remove(self) { self.state.withLock { $0.users.isEmpty } }
    }

    /// Gives a user the connection, which is made if there is none.
    ///
    /// All users that ask at the same time share one attempt and its result.
    func join(_ user: any ConnectionUser) {
      let living = state.withLock { state -> RedisConnection? in
        if let connection = state.connection, connection.failure == nil { return connection }
        state.waiting.append(user)
        if state.attempt == nil {
          state.lastAttempt += 1
          let task = Task(executorPreference: client.loop) { [self, number = state.lastAttempt] in await connect(number)
          }
          state.attempt = (state.lastAttempt, task)
        }
        return nil
      }
      if let living { user.received(.success(living)) }
    }

    private func connect(_ number: Int) async {
      let result: Result<RedisConnection, RedisError.Reason>
      do throws(RedisError.Reason) {
        result = .success(try await client.connect(on: client.loop, asksForStart: true))
      } catch { result = .failure(error) }
      let users = state.withLock { state -> [any ConnectionUser]? in
        // All users may have gone meanwhile, and others may have come.
        guard state.attempt?.number == number else { return nil }
        defer { (state.waiting, state.attempt) = ([], nil) }
        state.connection = try? result.get()
        return state.waiting
      }
      guard let users else {
        if case .success(let connection) = result { connection.close() }
        return
      }
      for user in users { user.received(result) }
    }
  }
#endif
