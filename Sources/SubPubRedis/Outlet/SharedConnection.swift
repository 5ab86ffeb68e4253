#if Redis
  import SubPub

  /// A user of a shared connection.
  protocol ConnectionUser: AnyObject, Sendable {
    /// Tells the user about the connection it has asked for; called once for each ``SharedConnection/join(_:)``.
    func received(_ connection: Result<RedisConnection, RedisError.Reason>)

    /// Appends what asks the server whether all is as before; returns nil if there is nothing to be asked.
    func look(at now: Moment, reading share: inout LookShare, askingWith bytes: inout [UInt8]) -> OutletLook?

    /// The server has answered.
    func looked(_ look: OutletLook, _ replies: ArraySlice<RedisReply>, at now: Moment)
  }

  /// A connection that several outlets share (8.10).
  ///
  /// It takes their looks together, because thousands of idle outlets look every second.
  final class SharedConnection: Sendable {
    private static let mostUsers = 128

    let client: RedisClient
    private let state = Locked(State())

    private struct State {
      var users: [any ConnectionUser] = []
      var waiting: [any ConnectionUser] = []
      /// The way of the looks over the connection; nil while there is none.
      var channel: RedisChannel?
      var looks = OutletLooks<any ConnectionUser>()
      var attempt: (number: Int, task: Task<Void, Never>)?
      var lastAttempt = 0
    }

    init(_ client: RedisClient) { self.client = client }

    /// Adds a user; returns false if there are enough.
    func add(_ user: any ConnectionUser) -> Bool {
      state.withLock { state in
        // A node of a cluster may name itself.
        if state.users.contains(where: { $0 === user }) { return true }
        guard state.users.count < Self.mostUsers else { return false }
        state.users.append(user)
        return true
      }
    }

    /// Removes a user, and ends the connection if that was the last one.
    func remove(_ user: any ConnectionUser) {
      let (channel, attempt) = state.withLock { state -> (RedisChannel?, Task<Void, Never>?) in
        state.users.removeAll { $0 === user }
        state.waiting.removeAll { $0 === user }
        // In one step: whoever comes next makes a connection of its own.
        return state.users.isEmpty ? (state.channel.take(), state.attempt.take()?.task) : (nil, nil)
      }
      attempt?.cancel()
      channel?.connection.close()
      client.remove(self) { self.state.withLock { $0.users.isEmpty } }
    }

    /// Gives a user the connection, which is made if there is none.
    ///
    /// All users that ask at the same time share one attempt and its result.
    func join(_ user: any ConnectionUser) {
      let living = state.withLock { state -> RedisConnection? in
        if let connection = state.channel?.connection, connection.failure == nil { return connection }
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
      // Forgotten with the connection.
      let channel = (try? result.get()).map { RedisChannel($0) { self.received($1, over: $0) } }
      let users = state.withLock { state -> [any ConnectionUser]? in
        // All users may have gone meanwhile, and others may have come.
        guard state.attempt?.number == number else { return nil }
        defer { (state.waiting, state.attempt) = ([], nil) }
        state.channel = channel
        state.looks = OutletLooks()
        return state.waiting
      }
      guard let users else {
        channel?.connection.close()
        return
      }
      for user in users { user.received(result) }
      if channel != nil { setTimer() }
    }
  }

  /// The looks, on the loop's thread.
  extension SharedConnection: LoopTimer {
    private func setTimer() {
      let interval = OutletLook.interval(replyTimeout: client.endpoint.replyTimeout)
      let next = Moment.now + interval
      // Those that look more often are in a hurry.
      client.loop.set(self, to: interval < .seconds(1) ? next : client.tick(after: next))
    }

    func fire() {
      let (users, channel, turn) = state.withLock { state in
        (state.users, state.channel, state.looks.mayBegin ? state.looks.turn : nil)
      }
      guard let channel else { return }
      // It may have been lost before it was known here.
      if channel.connection.failure != nil { return forget(channel) }
      setTimer()
      // What isn't answered in time ends the connection.
      if let turn { look(for: users, turn, over: channel) }
    }

    private func look(
      for users: [any ConnectionUser], _ turn: OutletLooks<any ConnectionUser>.Turn, over channel: RedisChannel
    ) {
      let now = Moment.now
      let round = OutletLooks.round(of: users, turn) { $0.look(at: now, reading: &$1, askingWith: &$2) }
      if round.isEmpty { return }
      let count = state.withLock { $0.looks.begin(round) }
      do throws(RedisError.Reason) { try channel.send(round.bytes, replies: count, mayBeDelayed: true) } catch {
        forget(channel)
      }
    }

    private func received(_ result: Result<[RedisReply], RedisError.Reason>, over channel: RedisChannel) {
      guard case .success(let replies) = result else { return forget(channel) }
      let now = Moment.now
      let answered = state.withLock { $0.channel === channel ? $0.looks.take(replies, at: now) : [] }
      for each in answered { each.user.looked(each.look, each.replies, at: now) }
    }

    private func forget(_ channel: RedisChannel) {
      state.withLock { state in
        if state.channel === channel { (state.channel, state.looks) = (nil, OutletLooks()) }
      }
    }
  }
#endif
