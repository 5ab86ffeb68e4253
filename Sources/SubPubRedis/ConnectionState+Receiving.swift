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
      let (replies, failure) = reader.replies(completedBy: bytes)
      for reply in replies {
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
        (answered, lateSince) = (.now, nil)
      }
      if let failure { throw failure }
    }

    private mutating func removeFirstRequest() {
      first += 1
      guard first == requests.count || first >= 1_024 else { return }
      requests.removeFirst(first)
      first = 0
    }
  }
#endif
