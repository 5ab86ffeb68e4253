#if Redis
  import Foundation
  import SubPub

  extension RedisClient {
    /// Makes a connection, and logs in; all of that within the endpoint's ``RedisEndpoint/connectTimeout``.
    ///
    /// If it is to be asked for, the connection then knows what tells one start of the server from another.
    func connect(on loop: RedisLoop, asksForStart: Bool = false) async throws(RedisError.Reason) -> RedisConnection {
      let end = Moment.now + endpoint.connectTimeout
      guard case .sentinels(let sentinels, let primary) = endpoint.address else {
        return try await connect(to: endpoint, asksForStart: asksForStart, by: end, on: loop)
      }
      let server = try endpoint.primary(at: try await address(of: primary.text, sentinels, by: end, on: loop))
      return try await connect(to: server, asksForRole: true, asksForStart: asksForStart, by: end, on: loop)
    }

    /// Asks the sentinels, one after the other, for the address of a primary.
    private func address(
      of primary: String, _ sentinels: [RedisEndpoint.Host], by end: Moment, on loop: RedisLoop
    ) async throws(RedisError.Reason) -> RedisEndpoint.Host {
      var failure = RedisError.Reason.unreachable("there is no sentinel")
      for (index, sentinel) in sentinels.enumerated() {
        // One that doesn't answer leaves as much time for each of the others, and for the primary.
        let rest = Moment.now.duration(to: end)
        let limit = max(.milliseconds(1), rest / (sentinels.count - index + 1))
        let sentinelEnd = Moment.now + limit
        let endpoint = RedisEndpoint(host: sentinel.name, port: sentinel.port, timeout: limit)
        do throws(RedisError.Reason) {
          let connection = try await connect(to: endpoint, by: sentinelEnd, on: loop)
          defer { connection.close() }
          let command = RedisCommand("SENTINEL", "GET-MASTER-ADDR-BY-NAME", primary)
          let reply = try await replies(to: [command], over: connection, endpoint, by: sentinelEnd)[0].get()
          if let host = RedisEndpoint.Host(named: reply[0]?.text ?? "", port: reply[1]?.text ?? "") { return host }
          failure = .unreachable("the sentinel at \(endpoint) knows no primary \(primary.debugDescription)")
        } catch {
          failure = error
          if case .unreachable(let what) = error {
            failure = .unreachable("the sentinel at \(endpoint) doesn't answer: \(what)")
          }
        }
      }
      throw failure
    }

    private func connect(
      to endpoint: RedisEndpoint, asksForRole: Bool = false, asksForStart: Bool = false,
      by end: Moment, on loop: RedisLoop
    ) async throws(RedisError.Reason) -> RedisConnection {
      let greeting = Greeting(
        endpoint, login: try await login(endpoint, by: end, loop), asksForRole: asksForRole, asksForStart: asksForStart)
      var failure = RedisError.Reason.unreachable("cannot connect: the host has no address")
      let addresses = try await addresses(of: endpoint, by: end, loop)
      for (index, address) in addresses.enumerated() {
        // One that doesn't answer leaves as much time for each of the others.
        let now = Moment.now
        let limit = now + now.duration(to: end) / (addresses.count - index)
        let connection: RedisConnection
        do {
          connection = try RedisConnection(try address.connectingSocket(), endpoint, by: limit, on: loop)
          try await connection.open()
        } catch {
          failure = error
          continue
        }
        do { try await greet(endpoint, over: connection, greeting, by: end) } catch {
          connection.close()
          throw error
        }
        return connection
      }
      throw failure
    }

    private func greet(
      _ endpoint: RedisEndpoint, over connection: RedisConnection, _ greeting: Greeting,
      by end: Moment
    ) async throws(RedisError.Reason) {
      let replies: [RedisReply]
      do { replies = try await self.replies(to: greeting.commands, over: connection, endpoint, by: end) } catch {
        throw greeting.reason(error, isClosed: connection.isClosed)
      }
      try greeting.check(replies)
      connection.start.withLock { $0 = greeting.start(in: replies) }
    }

    /// Sends commands, and waits for their replies within what is left of the endpoint's connect limit.
    private func replies(
      to commands: [RedisCommand], over connection: RedisConnection, _ endpoint: RedisEndpoint,
      by end: Moment
    ) async throws(RedisError.Reason) -> [RedisReply] {
      let channel = RedisChannel(connection)
      defer { channel.close() }
      let rest = max(.zero, Moment.now.duration(to: end))
      return try await channel.replies(to: commands, within: TimeLimit(limit: rest, named: endpoint.connectTimeout))
    }

    /// The login of the next connection; nil if there is none.
    private func login(
      _ endpoint: RedisEndpoint, by end: Moment, _ loop: RedisLoop
    ) async throws(RedisError.Reason) -> (username: String?, password: String)? {
      switch endpoint.login {
      case .none: return nil
      case .password(let password, let username): return (username?.text, password.text)
      case .asked(let source):
        let answer = Answer<Result<(username: String?, password: String), any Error>>()
        let task = Task.detached {
          do { answer.set(.success(try await source.ask())) } catch { answer.set(.failure(error)) }
        }
        switch await answer.value(by: end, on: loop) {
        case .success(let credentials): return credentials
        case .failure(let error): throw .unreachable("the credentials can't be had: \(error)".shortened)
        case nil:
          task.cancel()
          throw .unreachable("the credentials take longer than \(endpoint.connectTimeout)")
        }
      }
    }

    private func addresses(
      of endpoint: RedisEndpoint, by end: Moment, _ loop: RedisLoop
    ) async throws(RedisError.Reason) -> [SocketAddress] {
      switch endpoint.address {
      case .unixSocket(let path): return [try SocketAddress(path: path.text)]
      case .tcp(let host):
        if let address = try? SocketAddress.addresses(of: host.name, host.port, isNumeric: true) { return address }
        guard let found = await lookup(host).value(by: end, on: loop) else {
          throw .unreachable("cannot connect: looking up \(host.name) takes longer than \(endpoint.connectTimeout)")
        }
        return try found.get()
      case .sentinels: throw .unreachable("cannot connect: the address isn't known")
      }
    }
  }
#endif
