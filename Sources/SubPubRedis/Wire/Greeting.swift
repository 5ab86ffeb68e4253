#if Redis
  /// What a new connection says first, and what the replies to that mean.
  struct Greeting {
    private enum Part { case login, clientName, database, ping, role, start }

    private let endpoint: RedisEndpoint
    private var parts: [Part] = []
    private(set) var commands: [RedisCommand] = []

    /// The greeting of a server that has to be a primary if sentinels have named it, and is asked what tells one of its
    /// starts from another.
    init(
      _ endpoint: RedisEndpoint, login: (username: String?, password: String)?, asksForRole: Bool,
      asksForStart: Bool = false
    ) {
      self.endpoint = endpoint
      if let (username, password) = login {
        add(.login, username.map { RedisCommand("AUTH", $0, password) } ?? RedisCommand("AUTH", password))
      }
      if let name = endpoint.clientName { add(.clientName, RedisCommand("CLIENT", "SETNAME", name)) }
      if endpoint.database != 0 { add(.database, RedisCommand("SELECT", String(endpoint.database))) }
      // A server that wants a certificate says so after the handshake, and what it says may be lost with the
      // connection.
      if endpoint.isEncrypted { add(.ping, RedisCommand("PING")) }
      // The sentinels may know a server that has just become a replica, or isn't the primary yet.
      if asksForRole { add(.role, RedisCommand("ROLE")) }
      if asksForStart { add(.start, RedisCommand("INFO", "server")) }
    }

    private mutating func add(_ part: Part, _ command: RedisCommand) {
      parts.append(part)
      commands.append(command)
    }

    /// Throws if the server doesn't let the connection in, or isn't the right one.
    func check(_ replies: [RedisReply]) throws(RedisError.Reason) {
      for (part, reply) in zip(parts, replies) {
        switch part {
        case .login:
          // Credentials that were asked for may be others at the next attempt.
          if case .asked = endpoint.login, let refusal = reply.refusal, refusal.hasPrefix("WRONGPASS ") {
            throw .unreachable("the server refuses the credentials: \(refusal)")
          }
        case .role:
          if try reply.get()[0]?.text != "master" { throw .unreachable("\(endpoint) isn't the primary") }
        case .ping:
          // Any reply will do.
          if let refusal = reply.refusal, RedisError.Reason.refused(refusal).isForbidden { continue }
        case .start: continue
        case .clientName, .database: break
        }
        _ = try reply.get()
      }
    }

    /// What tells one start of the server from another; nil if it wasn't asked, or doesn't say so.
    func start(in replies: [RedisReply]) -> String? {
      let info = zip(parts, replies).first { $0.0 == .start }?.1.text ?? ""
      return info.split(whereSeparator: \.isNewline).first { $0.hasPrefix("run_id:") }.map(String.init)
    }

    /// Why there are no replies, if the connection has failed for that reason.
    func reason(_ failure: RedisError.Reason, isClosed: Bool) -> RedisError.Reason {
      #if RedisTLS
        if isClosed, case .unreachable(let what) = failure, let tls = endpoint.tls, tls.certificate == nil {
          return .unreachable("\(what); it may want a certificate of the client")
        }
      #endif
      return failure
    }
  }
#endif
