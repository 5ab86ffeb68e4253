#if Redis
  import CHiredis
  import Foundation
  import SubPub

  #if canImport(Darwin)
    import Darwin
  #elseif canImport(Glibc)
    import Glibc
  #elseif canImport(Musl)
    import Musl
  #endif

  /// A connection to a server, used by one thread at a time.
  ///
  /// Commands can be sent before the replies to earlier ones have arrived. After an error the connection can't be used
  /// any more: nobody knows which commands have arrived.
  @safe
  final class RedisConnection {
    private static let pieceSize = 64 << 10

    let descriptor: Int32
    private let timeout: Duration
    /// Is told whenever something arrives.
    private let contact: LastContact?
    /// Ends every wait early; nil for a connection whose waits are never longer than the timeout.
    private let interruption: Interruption?
    /// Whether the other side has ended the connection.
    private(set) var isClosed = false
    private let reader: UnsafeMutablePointer<redisReader>
    #if RedisTLS
      private var encryption: TLSSession?
      /// Whether the handshake is over.
      private var isEncrypted = false
    #endif
    private var buffer = [UInt8](repeating: 0, count: RedisConnection.pieceSize)

    /// Connects and logs in.
    init(
      to endpoint: RedisEndpoint, _ contact: LastContact? = nil, interruption: Interruption? = nil
    ) throws(RedisError.Reason) {
      self.contact = contact
      let end = ContinuousClock.now + endpoint.connectTimeout
      timeout = endpoint.replyTimeout
      self.interruption = interruption
      let greeting = try Self.greeting(to: endpoint)
      descriptor = try Self.connect(to: endpoint)
      guard let reader = unsafe redisReaderCreate() else {
        close(descriptor)
        throw .unreachable("there is no memory for a connection")
      }
      unsafe self.reader = reader
      #if RedisTLS
        if let settings = endpoint.tls {
          let encryption = try TLSSession(settings, host: endpoint.host)
          self.encryption = encryption
          try shakeHands(encryption, by: end, endpoint.connectTimeout)
        }
      #endif
      for reply in try firstReplies(to: greeting, endpoint, by: end) {
        // Credentials that were asked for may be others at the next attempt.
        if case .asked = endpoint.login, let refusal = reply.refusal, refusal.hasPrefix("WRONGPASS ") {
          throw .unreachable("the server refuses the credentials: \(refusal)")
        }
        _ = try reply.get()
      }
    }

    private func firstReplies(
      to greeting: [RedisCommand], _ endpoint: RedisEndpoint, by end: ContinuousClock.Instant
    ) throws(RedisError.Reason) -> [RedisReply] {
      #if RedisTLS
        // A server that wants a certificate says so after the handshake, and what it says may be lost with the connection.
        if let settings = endpoint.tls, settings.certificate == nil {
          do { return try replies(to: greeting + [RedisCommand("PING")], by: end).dropLast() } catch {
            guard isClosed, case .unreachable(let what) = error else { throw error }
            throw .unreachable("\(what); it may want a certificate of the client")
          }
        }
      #endif
      return try replies(to: greeting, by: end)
    }

    /// What a new connection says first.
    private static func greeting(to endpoint: RedisEndpoint) throws(RedisError.Reason) -> [RedisCommand] {
      var commands: [RedisCommand] = []
      if let (username, password) = try endpoint.currentLogin() {
        commands.append(username.map { RedisCommand("AUTH", $0, password) } ?? RedisCommand("AUTH", password))
      }
      if let name = endpoint.clientName { commands.append(RedisCommand("CLIENT", "SETNAME", name)) }
      if endpoint.database != 0 { commands.append(RedisCommand("SELECT", String(endpoint.database))) }
      return commands
    }

    deinit {
      unsafe redisReaderFree(reader)
      close(descriptor)
    }

    /// Sends commands, and waits for their replies.
    func replies(to commands: [RedisCommand]) throws(RedisError.Reason) -> [RedisReply] {
      try replies(to: commands, by: .now + timeout)
    }

    private func replies(
      to commands: [RedisCommand], by end: ContinuousClock.Instant
    ) throws(RedisError.Reason) -> [RedisReply] {
      var bytes: [UInt8] = []
      for command in commands { command.encode(to: &bytes) }
      try send(bytes)
      var replies: [RedisReply] = []
      for _ in commands {
        do { replies.append(try reply(by: end)) } catch {
          // The server may have said why it has closed the connection.
          if let refusal = replies.last?.refusal { throw .refused(refusal) }
          throw error
        }
      }
      return replies
    }

    /// Sends a command, and waits for its reply, which may be an error.
    func reply(to command: RedisCommand) throws(RedisError.Reason) -> RedisReply {
      try send(command)
      return try reply()
    }

    /// Sends a command.
    func send(_ command: RedisCommand) throws(RedisError.Reason) {
      var bytes: [UInt8] = []
      command.encode(to: &bytes)
      try send(bytes)
    }

    /// Sends encoded commands.
    func send(_ bytes: [UInt8]) throws(RedisError.Reason) {
      #if RedisTLS
        if let encryption {
          try encryption.encrypt(bytes)
          return try sendAsTheyAre(encryption.takeDeparting())
        }
      #endif
      try sendAsTheyAre(bytes)
    }

    private func sendAsTheyAre(_ bytes: [UInt8]) throws(RedisError.Reason) {
      var sent = 0
      while sent < bytes.count {
        try interruption?.check()
        let count = unsafe bytes[sent...].withUnsafeBytes {
          unsafe Self.send(descriptor, $0.baseAddress, $0.count)
        }
        if count >= 0 {
          sent += count
        } else {
          do { try checkWouldBlock() } catch {
            // The server may have said why it has closed the connection.
            if let refusal = try? replyIfPresent()?.refusal { throw .refused(refusal) }
            throw error
          }
          guard try wait(for: POLLOUT, until: .now + timeout) else { throw timedOut("to take a command") }
        }
      }
    }

    /// Waits for the next reply, all of which has to arrive within the timeout.
    func reply() throws(RedisError.Reason) -> RedisReply { try reply(by: .now + timeout) }

    private func reply(by end: ContinuousClock.Instant) throws(RedisError.Reason) -> RedisReply {
      while true {
        if let reply = try bufferedReply() { return reply }
        try interruption?.check()
        // Bytes that trickle in don't prolong the wait.
        guard try wait(for: POLLIN, until: end) else { throw timedOut("to reply") }
        _ = try receive()
      }
    }

    /// Returns the next reply if it has arrived.
    func replyIfPresent() throws(RedisError.Reason) -> RedisReply? {
      repeat { if let reply = try bufferedReply() { return reply } } while try receive()
      return nil
    }

    /// Takes a reply out of what has been received.
    private func bufferedReply() throws(RedisError.Reason) -> RedisReply? {
      var raw: UnsafeMutableRawPointer?
      guard unsafe redisReaderGetReply(reader, &raw) == REDIS_OK else {
        throw .unreachable(
          "the server doesn't speak Redis' protocol: \(unsafe Self.message(of: reader.pointee.errstr))")
      }
      guard let raw = unsafe raw else { return nil }
      return unsafe RedisReply(raw.assumingMemoryBound(to: redisReply.self))
    }

    /// Receives what has arrived; returns false if nothing has.
    private func receive() throws(RedisError.Reason) -> Bool {
      let count = unsafe recv(descriptor, &buffer, buffer.count, 0)
      if count > 0 {
        contact?.note()
        try take(buffer[..<count])
        return true
      }
      if count == 0 { throw closed }
      try checkWouldBlock()
      return false
    }

    /// Takes bytes that have arrived, which may be encrypted.
    private func take(_ bytes: ArraySlice<UInt8>) throws(RedisError.Reason) {
      #if RedisTLS
        if let encryption {
          try encryption.add(bytes)
          // A handshake takes its own bytes.
          guard isEncrypted else { return }
          let goesOn = try encryption.decrypt { plain throws(RedisError.Reason) in try feed(plain) }
          if !goesOn { throw closed }
          return
        }
      #endif
      try feed(bytes)
    }

    private func feed(_ bytes: ArraySlice<UInt8>) throws(RedisError.Reason) {
      let result = unsafe bytes.withUnsafeBytes { unsafe redisReaderFeed(reader, $0.baseAddress, $0.count) }
      if result != REDIS_OK { throw .unreachable("there is no memory for a reply") }
    }

    /// The error after the server has closed the connection.
    private var closed: RedisError.Reason {
      isClosed = true
      return .unreachable("the server has closed the connection")
    }

    #if RedisTLS
      private func shakeHands(
        _ encryption: TLSSession, by end: ContinuousClock.Instant, _ limit: Duration
      ) throws(RedisError.Reason) {
        while true {
          let result = Result { () throws(RedisError.Reason) in try encryption.proceedWithHandshake() }
          // Also what tells the server why the handshake has failed.
          try sendAsTheyAre(encryption.takeDeparting())
          if try result.get() { break }
          guard try wait(for: POLLIN, until: end) else {
            throw .unreachable("the server takes longer than \(limit) to agree on encryption: it may not speak TLS")
          }
          _ = try receive()
        }
        isEncrypted = true
      }
    #endif

    /// Throws unless a call has failed only because it would have had to wait.
    private func checkWouldBlock() throws(RedisError.Reason) {
      let code = errno
      if code == EAGAIN || code == EWOULDBLOCK || code == EINTR { return }
      isClosed = code == EPIPE || code == ECONNRESET
      throw .unreachable("the connection was lost: \(unsafe String(cString: strerror(code)))")
    }

    /// Waits until the socket is ready; returns false at the end.
    private func wait(for events: Int32, until end: ContinuousClock.Instant) throws(RedisError.Reason) -> Bool {
      while true {
        let rest = ContinuousClock.now.duration(to: end)
        guard let interruption else { return Self.wait(for: descriptor, events, upTo: rest) }
        if Self.wait(for: descriptor, events, upTo: min(max(rest, .zero), Interruption.delay)) { return true }
        if rest <= Interruption.delay { return false }
        try interruption.check()
      }
    }

    private func timedOut(_ what: String) -> RedisError.Reason {
      .unreachable("the server takes longer than \(timeout) \(what)")
    }
  }

  extension RedisConnection {
    /// Waits until a descriptor is ready; returns false after that time.
    static func wait(for descriptor: Int32, _ events: Int32, upTo limit: Duration) -> Bool {
      var descriptors = [pollfd(fd: descriptor, events: Int16(events), revents: 0)]
      return wait(for: &descriptors, upTo: limit)
    }

    /// Waits until one of several descriptors is ready; returns false after that time.
    static func wait(for descriptors: inout [pollfd], upTo limit: Duration) -> Bool {
      let end = ContinuousClock.now + limit
      while true {
        let rest = max(.zero, ContinuousClock.now.duration(to: end))
        let milliseconds = Int32(clamping: Int64((rest / .milliseconds(1)).rounded(.up)))
        let count = unsafe poll(&descriptors, nfds_t(descriptors.count), milliseconds)
        if count > 0 { return true }
        if count == 0, rest == .zero || ContinuousClock.now >= end { return false }
        if count < 0, errno != EINTR { return true }  // The call that follows reports the error.
      }
    }

    /// Makes a descriptor non-blocking, and keeps programs that this one starts from inheriting it.
    static func configure(_ descriptor: Int32) {
      _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
      _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
    }

    /// Opens a socket.
    private static func connect(to endpoint: RedisEndpoint) throws(RedisError.Reason) -> Int32 {
      let (seconds, attoseconds) = endpoint.connectTimeout.components
      let limit = timeval(tv_sec: numericCast(seconds), tv_usec: numericCast(attoseconds / 1_000_000_000_000))
      let context: UnsafeMutablePointer<redisContext>?
      switch endpoint.address {
      case .tcp(let host, let port): unsafe context = redisConnectWithTimeout(host, Int32(port), limit)
      case .unixSocket(let path):
        // The C library would cut it off.
        let most = MemoryLayout.size(ofValue: sockaddr_un().sun_path) - 1
        guard path.utf8.count <= most else {
          throw .unreachable("cannot connect: the path of a socket may have \(most) bytes")
        }
        unsafe context = redisConnectUnixWithTimeout(path, limit)
      }
      guard let context = unsafe context else { throw .unreachable("there is no memory for a connection") }
      guard unsafe context.pointee.err == 0 else {
        let message = unsafe Self.message(of: context.pointee.errstr)
        unsafe redisFree(context)
        throw .unreachable("cannot connect: \(message)")
      }
      if case .tcp = endpoint.address { unsafe redisEnableKeepAlive(context) }
      let descriptor = unsafe redisFreeKeepFd(context)
      configure(descriptor)
      #if canImport(Darwin)
        var on: Int32 = 1
        unsafe setsockopt(descriptor, SOL_SOCKET, SO_NOSIGPIPE, &on, socklen_t(MemoryLayout<Int32>.size))
      #endif
      return descriptor
    }

    /// Sends without a signal if the server has closed the connection.
    private static func send(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
      #if canImport(Darwin)
        return unsafe Darwin.send(descriptor, bytes, count, 0)
      #else
        return unsafe Foundation.send(descriptor, bytes, count, Int32(MSG_NOSIGNAL))
      #endif
    }

    /// Returns the text of an error of the C library, which imports an array as a tuple.
    private static func message<Characters>(of characters: Characters) -> String {
      unsafe withUnsafeBytes(of: characters) { unsafe String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    }
  }
#endif
