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
    static let mostReceipts = 16
    /// How far beyond the time of a reply the loop's thread counts as busy.
    private static let tolerance: Duration = .milliseconds(50)

    enum Phase {
      case connecting
      /// Agrees on encryption.
      case shakingHands
      case open
      case over(RedisError.Reason)
    }

    /// What follows a change, and is done without the lock.
    struct Effects {
      var arrived: [(channel: RedisChannel, replies: [RedisReply])] = []
      var lost: [RedisChannel] = []
      var failure: RedisError.Reason?
      var opened: CheckedContinuation<RedisError.Reason?, Never>?
      var hasReceived = false

      func run(_ contact: LastContact) {
        if hasReceived { contact.note() }
        for (channel, replies) in arrived { channel.deliver(replies) }
        if let failure { for channel in lost { channel.fail(failure) } }
        opened?.resume(returning: failure)
      }
    }

    var socket: Int32
    var phase = Phase.connecting
    let connectLimit: (end: ContinuousClock.Instant, duration: Duration)
    let reader: ReplyReader
    /// What the socket had no room for.
    var outgoing: [UInt8] = []
    var sent = 0
    /// Why nothing can be sent any more; what the server has said before is still received.
    var sendingFailure: RedisError.Reason?
    /// The requests whose replies are to come, from this index on.
    var requests: [Request] = []
    var first = 0
    /// When the last reply has arrived.
    var answered: ContinuousClock.Instant
    /// When the loop's thread, which was busy, began to wait for the next reply although its time was over.
    var lateSince: ContinuousClock.Instant?
    var isClosed = false
    var channels: [ObjectIdentifier: RedisChannel] = [:]
    var opening: CheckedContinuation<RedisError.Reason?, Never>?
    var effects = Effects()
    #if RedisTLS
      let tls: (settings: RedisTLS, host: String)?
      var encryption: TLSSession?
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

    /// Lets somebody wait for the connection, which may have been lost already: their task may have been cancelled.
    mutating func awaitOpening(_ opening: CheckedContinuation<RedisError.Reason?, Never>) {
      if let failure { (effects.failure, effects.opened) = (failure, opening) } else { self.opening = opening }
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

    static func close(_ socket: Int32) { _ = Foundation.close(socket) }

    /// What to wait for from now on, and until when; closes the socket, and is nil, if the connection is over.
    mutating func interest(at now: ContinuousClock.Instant) -> (pollfd, deadline: ContinuousClock.Instant?)? {
      guard failure == nil else {
        if socket >= 0 { Self.close(socket) }
        socket = -1
        return nil
      }
      if case .open = phase, lateSince == nil, let deadline, deadline + Self.tolerance <= now { lateSince = now }
      var events = Int16(POLLIN)
      if case .connecting = phase { events = Int16(POLLOUT) } else if !outgoing.isEmpty { events |= Int16(POLLOUT) }
      return (pollfd(fd: socket, events: events, revents: 0), deadline)
    }

    var deadline: ContinuousClock.Instant? {
      switch phase {
      case .connecting, .shakingHands: connectLimit.end
      case .open: first < requests.count ? deadline(of: requests[first]) : nil
      case .over: nil
      }
    }

    /// A thread that was busy gets half of the time again, once for each reply: the rest of a large one takes a while
    /// to arrive, because the server had to wait for this side.
    private func deadline(of request: Request) -> ContinuousClock.Instant {
      let limit = request.limit.limit
      return lateSince.map { $0 + limit / 2 } ?? max(request.sent, answered) + limit
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
    mutating func transmit(_ bytes: [UInt8]) {
      guard outgoing.isEmpty else {
        outgoing += bytes
        return
      }
      let count = transmitNow(bytes[...])
      if count < bytes.count { outgoing += bytes[count...] }
    }

    mutating func transmitRest() {
      guard !outgoing.isEmpty else { return }
      sent += transmitNow(outgoing[sent...])
      if sent == outgoing.count { (outgoing, sent) = ([], 0) }
    }

    /// Returns how many bytes the socket has taken.
    mutating func transmitNow(_ bytes: ArraySlice<UInt8>) -> Int {
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
    mutating func checkWouldBlock() throws(RedisError.Reason) {
      let code = errno
      if code == EAGAIN || code == EWOULDBLOCK || code == EINTR { return }
      isClosed = code == EPIPE || code == ECONNRESET
      throw .unreachable("the connection was lost: \(unsafe String(cString: strerror(code)))")
    }
  }
#endif
