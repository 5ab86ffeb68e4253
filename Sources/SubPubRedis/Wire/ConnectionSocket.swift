#if Redis
  import Foundation

  /// Bytes that are to be sent.
  struct UnsentBytes {
    /// At most twice as many as the rest.
    private(set) var bytes: [UInt8] = []
    /// How many of them are sent.
    private var first = 0

    var isEmpty: Bool { first == bytes.count }
    var rest: ArraySlice<UInt8> { bytes[first...] }

    mutating func append(_ new: ArraySlice<UInt8>) { bytes += new }

    /// Forgets the first bytes; amortized O(1) for each of them.
    mutating func removeFirst(_ count: Int) {
      first += count
      if first >= bytes.count - first { (bytes, first) = (Array(rest), 0) }
    }
  }

  /// The socket of a connection, and its encryption.
  struct ConnectionSocket {
    private var descriptor: Int32
    /// What the socket had no room for.
    private var outgoing = UnsentBytes()
    /// How many bytes were to be sent so far, and how many of them the socket has taken.
    private(set) var traffic = (queued: 0, taken: 0)
    /// Whether there may be room for it, because it was put off.
    private var isDelayed = false
    /// Why nothing can be sent any more; what the server has said before is still received.
    private(set) var sendingFailure: RedisError.Reason?
    /// Whether the other side has ended the connection.
    private(set) var isClosed = false
    #if RedisTLS
      private let tls: (settings: RedisTLS, host: String)?
      private var encryption: TLSSession?
    #endif

    /// Takes a socket over, which connects.
    init(_ descriptor: Int32, _ endpoint: RedisEndpoint) {
      self.descriptor = descriptor
      #if RedisTLS
        tls = endpoint.tls.map { ($0, endpoint.host) }
      #endif
    }

    /// Whether the loop's thread has to send something, or to find out why nothing can be sent.
    var hasUnsent: Bool { !outgoing.isEmpty || sendingFailure != nil }

    /// What to wait for.
    func interest(isConnecting: Bool) -> pollfd {
      let events = isConnecting ? POLLOUT : outgoing.isEmpty ? POLLIN : POLLIN | POLLOUT
      return pollfd(fd: descriptor, events: Int16(events), revents: 0)
    }

    mutating func close() {
      if descriptor >= 0 { _ = Foundation.close(descriptor) }
      descriptor = -1
    }

    /// Throws if the connection couldn't be made.
    func finishConnecting() throws(RedisError.Reason) {
      var (code, size): (Int32, socklen_t) = (0, socklen_t(MemoryLayout<Int32>.size))
      let result = unsafe getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &code, &size)
      if result != 0 { code = errno }
      guard code == 0 else { throw .unreachable("cannot connect: \(unsafe String(cString: strerror(code)))") }
    }

    /// Returns how many bytes have arrived, of which more may follow; nil if there are none.
    mutating func receive(_ buffer: inout [UInt8]) throws(RedisError.Reason) -> Int? {
      let count = unsafe recv(descriptor, &buffer, buffer.count, 0)
      if count > 0 { return count }
      if count == 0 { throw closed() }
      try checkWouldBlock()
      return nil
    }

    private mutating func closed() -> RedisError.Reason {
      isClosed = true
      return .unreachable("the server has closed the connection")
    }

    /// Throws unless a call has failed only because it would have had to wait.
    private mutating func checkWouldBlock() throws(RedisError.Reason) {
      let code = errno
      if code == EAGAIN || code == EWOULDBLOCK || code == EINTR { return }
      isClosed = code == EPIPE || code == ECONNRESET
      throw .unreachable("the connection was lost: \(unsafe String(cString: strerror(code)))")
    }
  }

  /// Sending.
  extension ConnectionSocket {
    /// Encrypts bytes, if that is to be, and sends them, or puts that off until ``transmitDelayed()``.
    mutating func send(_ bytes: [UInt8], mayBeDelayed: Bool) throws(RedisError.Reason) {
      #if RedisTLS
        if let encryption {
          try encryption.encrypt(bytes)
          return transmit(encryption.takeDeparting(), mayBeDelayed: mayBeDelayed)
        }
      #endif
      transmit(bytes, mayBeDelayed: mayBeDelayed)
    }

    /// Sends bytes now, as far as there is room, and the rest later.
    private mutating func transmit(_ bytes: [UInt8], mayBeDelayed: Bool = false) {
      traffic.queued += bytes.count
      guard outgoing.isEmpty, !mayBeDelayed else {
        isDelayed = isDelayed || outgoing.isEmpty
        outgoing.append(bytes[...])
        return
      }
      let count = transmitNow(bytes[...])
      if count < bytes.count { outgoing.append(bytes[count...]) }
    }

    /// Sends what was put off.
    mutating func transmitDelayed() { if isDelayed { transmitRest() } }

    mutating func transmitRest() {
      isDelayed = false
      if !outgoing.isEmpty { outgoing.removeFirst(transmitNow(outgoing.rest)) }
    }

    /// Returns how many bytes the socket has taken.
    private mutating func transmitNow(_ bytes: ArraySlice<UInt8>) -> Int {
      var total = 0
      while total < bytes.count {
        let rest = bytes.dropFirst(total)
        let count = unsafe rest.withUnsafeBytes { unsafe Self.send(descriptor, $0.baseAddress, $0.count) }
        if count >= 0 {
          total += count
          continue
        }
        if errno == EINTR { continue }
        do { try checkWouldBlock() } catch { sendingFailure = error }
        break
      }
      traffic.taken += total
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
  }

  #if RedisTLS
    /// Encryption.
    extension ConnectionSocket {
      /// Adds bytes that have arrived to a handshake, which begins with none; returns whether it is over.
      mutating func shakeHands(_ bytes: ArraySlice<UInt8> = []) throws(RedisError.Reason) -> Bool {
        guard let tls else { return true }
        let encryption = if let encryption { encryption } else { try TLSSession(tls.settings, host: tls.host) }
        self.encryption = encryption
        try encryption.add(bytes)
        let result = Result { () throws(RedisError.Reason) in try encryption.proceedWithHandshake() }
        // Also what tells the server why the handshake has failed.
        transmit(encryption.takeDeparting())
        return try result.get()
      }

      /// Decrypts bytes that have arrived, and those that are still there, piece by piece.
      mutating func decrypt(
        _ bytes: ArraySlice<UInt8>, _ body: (ArraySlice<UInt8>) -> Void
      ) throws(RedisError.Reason) {
        guard let encryption else { return body(bytes) }
        try encryption.add(bytes)
        let goesOn = try encryption.decrypt { piece throws(RedisError.Reason) in body(piece) }
        if !goesOn { throw closed() }
      }
    }
  #endif
#endif
