#if Redis
  import Foundation
  import SubPub

  #if canImport(Darwin)
    import Darwin
  #elseif canImport(Glibc)
    import Glibc
  #elseif canImport(Musl)
    import Musl
  #endif

  /// The state of a connection: what is on its way in both directions.
  struct ConnectionState {
    /// How often something is received before other connections have their turn.
    private static let mostReceipts = 16

    private enum Phase {
      case connecting
      /// Agrees on encryption.
      case shakingHands
      case open
      case over(RedisError.Reason)
    }

    /// What follows a change, and is done without the lock.
    struct Effects {
      fileprivate(set) var arrived: [(channel: RedisChannel, replies: [RedisReply])] = []
      fileprivate(set) var lost: [RedisChannel] = []
      fileprivate(set) var failure: RedisError.Reason?
      fileprivate(set) var opened: CheckedContinuation<RedisError.Reason?, Never>?
      fileprivate(set) var hasReceived = false

      func run(_ contact: LastContact) {
        if hasReceived { contact.note() }
        for (channel, replies) in arrived { channel.deliver(replies) }
        if let failure { for channel in lost { channel.fail(failure) } }
        opened?.resume(returning: failure)
      }
    }

    private var socket: Int32
    private var phase = Phase.connecting
    private let connectLimit: (end: ContinuousClock.Instant, duration: Duration)
    private let reader: ReplyReader
    /// What the socket had no room for.
    private var outgoing: [UInt8] = []
    private var sent = 0
    /// Why nothing can be sent any more; what the server has said before is still received.
    private var sendingFailure: RedisError.Reason?
    /// The requests whose replies are to come, from this index on.
    private var requests: [Request] = []
    private var first = 0
    /// When the last reply has arrived.
    private var answered: ContinuousClock.Instant
    private(set) var isClosed = false
    var channels: [ObjectIdentifier: RedisChannel] = [:]
    var opening: CheckedContinuation<RedisError.Reason?, Never>?
    var effects = Effects()
    #if RedisTLS
      private let tls: (settings: RedisTLS, host: String)?
      private var encryption: TLSSession?
    #endif

    init(_ socket: Int32, _ reader: ReplyReader, _ endpoint: RedisEndpoint, by end: ContinuousClock.Instant) {
      (self.socket, self.reader) = (socket, reader)
      (connectLimit, answered) = ((end, endpoint.connectTimeout), .now)
      #if RedisTLS
        tls = endpoint.tls.map { ($0, endpoint.host) }
      #endif
    }

    var failure: RedisError.Reason? { if case .over(let reason) = phase { reason } else { nil } }

    /// Whether the loop's thread has to send something, or to find out why nothing can be sent.
    var isBehind: Bool { !outgoing.isEmpty || sendingFailure != nil }

    mutating func add(_ channel: RedisChannel) {
      if let failure {
        effects.lost.append(channel)
        effects.failure = failure
      } else {
        channels[ObjectIdentifier(channel)] = channel
      }
    }

    /// Ends the connection; only the first reason counts.
    mutating func lose(_ reason: RedisError.Reason) {
      guard failure == nil else { return }
      phase = .over(reason)
      effects.failure = reason
      effects.lost = Array(channels.values)
      effects.opened = opening.take()
      (channels, requests, first, outgoing, sent) = ([:], [], 0, [], 0)
    }

    mutating func closeIfOver() -> Bool {
      guard failure != nil else { return false }
      if socket >= 0 { Self.close(socket) }
      socket = -1
      return true
    }

    static func close(_ socket: Int32) { _ = Foundation.close(socket) }

    var interest: (pollfd, deadline: ContinuousClock.Instant?)? {
      guard failure == nil else { return nil }
      var events = Int16(POLLIN)
      if case .connecting = phase { events = Int16(POLLOUT) } else if !outgoing.isEmpty { events |= Int16(POLLOUT) }
      return (pollfd(fd: socket, events: events, revents: 0), deadline)
    }

    private var deadline: ContinuousClock.Instant? {
      switch phase {
      case .connecting, .shakingHands: connectLimit.end
      case .open: first < requests.count ? max(requests[first].sent, answered) + requests[first].limit.limit : nil
      case .over: nil
      }
    }

    mutating func checkDeadline(at now: ContinuousClock.Instant) {
      guard let deadline, deadline <= now else { return }
      switch phase {
      case .connecting: lose(.unreachable("cannot connect: \(unsafe String(cString: strerror(ETIMEDOUT)))"))
      case .shakingHands:
        lose(
          .unreachable(
            "the server takes longer than \(connectLimit.duration) to agree on encryption: it may not speak TLS"))
      case .open: lose(.unreachable("the server takes longer than \(requests[first].limit.named) to reply"))
      case .over: break
      }
    }
  }

  /// Sending.
  extension ConnectionState {
    mutating func send(_ bytes: [UInt8], _ request: Request) {
      guard failure == nil else { return }
      requests.append(request)
      do throws(RedisError.Reason) {
        #if RedisTLS
          if let encryption {
            try encryption.encrypt(bytes)
            return transmit(encryption.takeDeparting())
          }
        #endif
        transmit(bytes)
      } catch {
        lose(error)
      }
    }

    /// Sends bytes now, as far as there is room, and the rest later.
    private mutating func transmit(_ bytes: [UInt8]) {
      guard outgoing.isEmpty else {
        outgoing += bytes
        return
      }
      let count = transmitNow(bytes[...])
      if count < bytes.count { outgoing += bytes[count...] }
    }

    private mutating func transmitRest() {
      guard !outgoing.isEmpty else { return }
      sent += transmitNow(outgoing[sent...])
      if sent == outgoing.count { (outgoing, sent) = ([], 0) }
    }

    /// Returns how many bytes the socket has taken.
    private mutating func transmitNow(_ bytes: ArraySlice<UInt8>) -> Int {
      var total = 0
      while total < bytes.count {
        let count = unsafe bytes.dropFirst(total).withUnsafeBytes { unsafe Self.send(socket, $0.baseAddress, $0.count) }
        if count >= 0 {
          total += count
          continue
        }
        if errno == EINTR { continue }
        do { try checkWouldBlock() } catch { sendingFailure = error }
        break
      }
      return total
    }

    /// Sends without a signal if the server has closed the connection.
    private static func send(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
      #if canImport(Darwin)
        return unsafe Darwin.send(descriptor, bytes, count, 0)
      #else
        return unsafe Foundation.send(descriptor, bytes, count, Int32(MSG_NOSIGNAL))
      #endif
    }

    /// Throws unless a call has failed only because it would have had to wait.
    private mutating func checkWouldBlock() throws(RedisError.Reason) {
      let code = errno
      if code == EAGAIN || code == EWOULDBLOCK || code == EINTR { return }
      isClosed = code == EPIPE || code == ECONNRESET
      throw .unreachable("the connection was lost: \(unsafe String(cString: strerror(code)))")
    }
  }

  /// Receiving.
  extension ConnectionState {
    mutating func proceed(_ buffer: inout [UInt8]) {
      do throws(RedisError.Reason) {
        switch phase {
        case .connecting: try finishConnecting()
        case .shakingHands, .open:
          transmitRest()
          for _ in 1...Self.mostReceipts where !(try receive(&buffer)) { break }
          if let sendingFailure { throw sendingFailure }
        case .over: break
        }
      } catch {
        lose(error)
      }
    }

    private mutating func finishConnecting() throws(RedisError.Reason) {
      var (code, size): (Int32, socklen_t) = (0, socklen_t(MemoryLayout<Int32>.size))
      let result = unsafe getsockopt(socket, SOL_SOCKET, SO_ERROR, &code, &size)
      if result != 0 { code = errno }
      guard code == 0 else { throw .unreachable("cannot connect: \(unsafe String(cString: strerror(code)))") }
      #if RedisTLS
        if let (settings, host) = tls {
          let encryption = try TLSSession(settings, host: host)
          self.encryption = encryption
          phase = .shakingHands
          return try shakeHands(encryption)
        }
      #endif
      beOpen()
    }

    private mutating func beOpen() {
      (phase, answered) = (.open, .now)
      effects.opened = opening.take()
    }

    #if RedisTLS
      private mutating func shakeHands(_ encryption: TLSSession) throws(RedisError.Reason) {
        let result = Result { () throws(RedisError.Reason) in try encryption.proceedWithHandshake() }
        // Also what tells the server why the handshake has failed.
        transmit(encryption.takeDeparting())
        if try result.get() {
          beOpen()
          try take([], encryption)
        }
      }
    #endif

    /// Receives a piece of what has arrived; returns false if that was all.
    private mutating func receive(_ buffer: inout [UInt8]) throws(RedisError.Reason) -> Bool {
      let count = unsafe recv(socket, &buffer, buffer.count, 0)
      if count == 0 {
        isClosed = true
        throw .unreachable("the server has closed the connection")
      }
      guard count > 0 else {
        try checkWouldBlock()
        return false
      }
      effects.hasReceived = true
      #if RedisTLS
        if let encryption {
          try take(buffer[..<count], encryption)
          return count == buffer.count
        }
      #endif
      try feed(buffer[..<count])
      return count == buffer.count
    }

    #if RedisTLS
      private mutating func take(_ bytes: ArraySlice<UInt8>, _ encryption: TLSSession) throws(RedisError.Reason) {
        try encryption.add(bytes)
        if case .shakingHands = phase { return try shakeHands(encryption) }
        let goesOn = try encryption.decrypt { plain throws(RedisError.Reason) in try feed(plain) }
        if !goesOn {
          isClosed = true
          throw .unreachable("the server has closed the connection")
        }
      }
    #endif

    /// Takes bytes that aren't encrypted, and gives the replies to those who have asked.
    private mutating func feed(_ bytes: ArraySlice<UInt8>) throws(RedisError.Reason) {
      try reader.feed(bytes)
      while let reply = try reader.next() {
        guard first < requests.count else {
          // A server that takes no more clients doesn't wait for a command.
          throw reply.refusal.map { .refused($0) } ?? .unreachable("the server says what nobody has asked for")
        }
        let channel = requests[first].channel
        if effects.arrived.last?.channel === channel {
          effects.arrived[effects.arrived.count - 1].replies.append(reply)
        } else {
          effects.arrived.append((channel, [reply]))
        }
        requests[first].count -= 1
        if requests[first].count == 0 { removeFirstRequest() }
        answered = .now
      }
    }

    private mutating func removeFirstRequest() {
      first += 1
      guard first == requests.count || first >= 1_024 else { return }
      requests.removeFirst(first)
      first = 0
    }
  }
#endif
