#if Redis
  import Foundation
  import SubPub

  /// The address of a socket, as the system takes it.
  package struct SocketAddress: Sendable {
    private var bytes: [UInt8]
    private let family: Int32
    #if canImport(Glibc)
      private static let stream = Int32(SOCK_STREAM.rawValue)
    #else
      private static let stream = SOCK_STREAM
    #endif

    /// Returns the addresses of a host, which may take long unless it is one itself.
    static func addresses(
      of host: String, _ port: Int, isNumeric: Bool
    ) throws(RedisError.Reason) -> [SocketAddress] {
      var hints = unsafe addrinfo()
      unsafe hints.ai_family = AF_UNSPEC
      unsafe hints.ai_socktype = stream
      unsafe hints.ai_flags = isNumeric ? AI_NUMERICHOST : 0
      var first: UnsafeMutablePointer<addrinfo>?
      let code = unsafe getaddrinfo(host, "\(port)", &hints, &first)
      guard code == 0 else { throw .unreachable("cannot connect: \(unsafe String(cString: gai_strerror(code)))") }
      defer { unsafe freeaddrinfo(first) }
      var (found, next): ([SocketAddress], UnsafeMutablePointer<addrinfo>?) = unsafe ([], first)
      while let info = unsafe next {
        let bytes = unsafe UnsafeRawBufferPointer(start: info.pointee.ai_addr, count: Int(info.pointee.ai_addrlen))
        found.append(SocketAddress(bytes: unsafe Array(bytes), family: unsafe info.pointee.ai_family))
        unsafe next = info.pointee.ai_next
      }
      return found
    }

    private init(bytes: [UInt8], family: Int32) { (self.bytes, self.family) = (bytes, family) }

    package init(path: String) throws(RedisError.Reason) {
      var address = sockaddr_un()
      let most = MemoryLayout.size(ofValue: address.sun_path) - 1
      guard path.utf8.count <= most else {
        throw .unreachable("cannot connect: the path of a socket may have \(most) bytes")
      }
      address.sun_family = sa_family_t(AF_UNIX)
      unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: path.utf8) }
      self.init(bytes: unsafe withUnsafeBytes(of: address) { unsafe Array($0) }, family: AF_UNIX)
    }

    /// Returns a socket that begins to connect to the address.
    func connectingSocket() throws(RedisError.Reason) -> Int32 {
      try unsafe socket("cannot connect") { descriptor, address, size in
        var on: Int32 = 1
        if family != AF_UNIX {
          unsafe setsockopt(descriptor, SOL_SOCKET, SO_KEEPALIVE, &on, socklen_t(MemoryLayout<Int32>.size))
          unsafe setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
        }
        return unsafe connect(descriptor, address, size) == 0 || errno == EINPROGRESS
      }
    }

    /// Returns a socket that listens at the address.
    package func listeningSocket() throws(RedisError.Reason) -> Int32 {
      try unsafe socket("cannot listen") { descriptor, address, size in
        unsafe bind(descriptor, address, size) == 0 && listen(descriptor, Int32(SOMAXCONN)) == 0
      }
    }

    /// Returns a socket that doesn't block, after the body has done something with it and the address.
    private func socket(
      _ failure: String, _ begin: (Int32, UnsafePointer<sockaddr>?, socklen_t) -> Bool
    ) throws(RedisError.Reason) -> Int32 {
      let descriptor = Foundation.socket(family, Self.stream, 0)
      guard descriptor >= 0 else { throw Self.error(failure) }
      WakePipe.configure(descriptor)
      Self.refuseSignals(descriptor)
      let hasBegun = unsafe bytes.withUnsafeBytes { bytes in
        unsafe begin(descriptor, bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self), socklen_t(bytes.count))
      }
      if hasBegun { return descriptor }
      let error = Self.error(failure)
      close(descriptor)
      throw error
    }

    /// Lets sending to a connection that was closed be an error, and no signal, where a socket has to be told that.
    package static func refuseSignals(_ descriptor: Int32) {
      #if canImport(Darwin)
        var on: Int32 = 1
        unsafe setsockopt(descriptor, SOL_SOCKET, SO_NOSIGPIPE, &on, socklen_t(MemoryLayout<Int32>.size))
      #endif
    }

    private static func error(_ failure: String) -> RedisError.Reason {
      .unreachable("\(failure): \(unsafe String(cString: strerror(errno)))")
    }
  }
#endif
