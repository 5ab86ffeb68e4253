#if Redis
  import SubPub
  import SubPubRedis

  #if canImport(Darwin)
    import Darwin
  #elseif canImport(Glibc)
    import Glibc
  #elseif canImport(Musl)
    import Musl
  #endif

  /// The sockets of a stand-in, and the thread that serves them.
  final class StandInSockets: Sendable {
    private let folder: String
    /// The path of the socket that listens.
    let path: String
    private let pipe: WakePipe
    private let state = Locked(State())

    fileprivate struct State {
      var server = StandInServer()
      var listener: Int32?
      /// The numbers of the clients, by their descriptors.
      var clients: [Int32: Int] = [:]
      /// What couldn't be sent yet.
      var unsent: [Int32: [UInt8]] = [:]
      var isOver = false
    }

    /// Makes a folder for the socket, and starts the thread.
    init() throws(RedisError.Reason) {
      pipe = try WakePipe()
      folder = try Self.makeFolder()
      path = "\(folder)/socket"
      WaitingThread.start(named: "SubPub.RedisStandIn") { [self] in run() }
    }

    private static func makeFolder() throws(RedisError.Reason) -> String {
      let parent = unsafe getenv("TMPDIR").map { unsafe String(cString: $0) } ?? "/tmp"
      var template = Array("\(parent)/subpub-XXXXXX".utf8CString)
      guard unsafe mkdtemp(&template) != nil else { throw failure("cannot make a folder in \(parent)") }
      return String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    private static func failure(_ what: String) -> RedisError.Reason {
      .unreachable("\(what): \(unsafe String(cString: strerror(errno)))")
    }

    /// Time in microseconds since 1970, which never goes back.
    private static func now() -> Int {
      startOfTime.wall + Int(startOfTime.instant.duration(to: .now) / .microseconds(1))
    }

    private static let startOfTime = {
      var time = timespec()
      _ = unsafe clock_gettime(CLOCK_REALTIME, &time)
      return (wall: Int(time.tv_sec) * 1_000_000 + Int(time.tv_nsec) / 1_000, instant: ContinuousClock.now)
    }()

    func removeAll() { state.withLock { $0.server.removeAll(at: Self.now()) } }

    func entryCount(of key: String) -> Int {
      state.withLock { $0.server.entryCount(of: Array(key.utf8), at: Self.now()) }
    }
  }

  /// Starting and stopping.
  extension StandInSockets {
    /// Listens for connections, if it doesn't yet.
    func begin() throws(RedisError.Reason) {
      let result = state.withLock { state in
        Result { () throws(RedisError.Reason) in
          if state.listener == nil { state.listener = try SocketAddress(path: path).listeningSocket() }
        }
      }
      pipe.wake()
      try result.get()
    }

    /// Ends all connections, and takes new ones only if it goes on listening.
    func disconnect(goesOn: Bool) {
      state.withLock { state in
        if !goesOn, let listener = state.listener.take() {
          unsafe unlink(path)
          Self.end(listener)
        }
        for descriptor in state.clients.keys { Self.end(descriptor) }
        (state.clients, state.unsent) = ([:], [:])
        state.server.restart()
      }
      pipe.wake()
    }

    /// Ends everything.
    func end() {
      state.withLock { $0.isOver = true }
      disconnect(goesOn: false)
      unsafe rmdir(folder)
    }

    /// Ends a connection now: while the thread waits for a descriptor, closing it alone has no effect on the other end.
    private static func end(_ descriptor: Int32) {
      _ = shutdown(descriptor, Int32(SHUT_RDWR))
      close(descriptor)
    }
  }

  /// The thread.
  extension StandInSockets {
    private func run() {
      var buffer = [UInt8](repeating: 0, count: 64 << 10)
      while let (interest, limit) = interest() {
        var descriptors = interest
        WakePipe.wait(for: &descriptors, upTo: limit)
        if descriptors[0].revents != 0 { pipe.clear() }
        let ready = descriptors.dropFirst().filter { $0.revents != 0 }.map(\.fd)
        // None of this waits: the descriptors are non-blocking.
        state.withLock { $0.serve(ready, &buffer, at: Self.now()) }
      }
    }

    /// Returns what to wait for, and for how long; nil if everything is over.
    private func interest() -> ([pollfd], Duration)? {
      state.withLock { state in
        if state.isOver { return nil }
        let input = [pipe.descriptor] + (state.listener.map { [$0] } ?? [])
        let clients = state.clients.keys.map { descriptor in
          pollfd(fd: descriptor, events: Int16(state.unsent[descriptor] == nil ? POLLIN : POLLIN | POLLOUT), revents: 0)
        }
        let limit = state.server.nextEnd.map { Duration.microseconds($0 - Self.now()) } ?? .seconds(60)
        return (input.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) } + clients, limit)
      }
    }
  }

  extension StandInSockets.State {
    /// Accepts, receives and sends; what was closed in the meantime is nobody's any more.
    fileprivate mutating func serve(_ ready: [Int32], _ buffer: inout [UInt8], at time: Int) {
      for descriptor in ready {
        if descriptor == listener {
          takeConnections(descriptor)
        } else if let client = clients[descriptor] {
          read(descriptor, client, &buffer, at: time)
        }
      }
      server.pass(to: time)
      for (descriptor, client) in clients { write(descriptor, client) }
    }

    private mutating func takeConnections(_ listener: Int32) {
      while true {
        let descriptor = accept(listener, nil, nil)
        guard descriptor >= 0 else { return }
        WakePipe.configure(descriptor)
        SocketAddress.refuseSignals(descriptor)
        clients[descriptor] = server.connect()
      }
    }

    private mutating func read(_ descriptor: Int32, _ client: Int, _ buffer: inout [UInt8], at time: Int) {
      let count = unsafe recv(descriptor, &buffer, buffer.count, 0)
      if count > 0 {
        server.receive(buffer[..<count], from: client, at: time)
      } else if count == 0 || !Self.hasToWait {
        drop(descriptor, client)
      }
    }

    private mutating func write(_ descriptor: Int32, _ client: Int) {
      let output = server.takeOutput(of: client)
      let bytes = (unsent[descriptor] ?? []) + (output ?? [])
      var first = 0
      while first < bytes.count {
        let count = unsafe bytes.withUnsafeBytes { bytes in
          #if canImport(Darwin)
            unsafe send(descriptor, bytes.baseAddress?.advanced(by: first), bytes.count - first, 0)
          #else
            unsafe send(descriptor, bytes.baseAddress?.advanced(by: first), bytes.count - first, Int32(MSG_NOSIGNAL))
          #endif
        }
        guard count > 0 else {
          if !Self.hasToWait { return drop(descriptor, client) }
          break
        }
        first += count
      }
      unsent[descriptor] = first < bytes.count ? Array(bytes[first...]) : nil
      if output == nil { drop(descriptor, client) }
    }

    /// Whether the last call has failed only because it would have had to wait.
    private static var hasToWait: Bool { errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR }

    private mutating func drop(_ descriptor: Int32, _ client: Int) {
      close(descriptor)
      (clients[descriptor], unsent[descriptor]) = (nil, nil)
      server.disconnect(client)
    }
  }
#endif
