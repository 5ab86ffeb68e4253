#if RedisTLS
  import COpenSSL
  import SubPub

  /// The encryption of one connection.
  ///
  /// It only turns bytes into other bytes, in memory: the connection sends and receives them. So a wait can be ended,
  /// and no signal arrives when the server has closed the connection.
  @safe
  final class TLSSession {
    private let session: OpaquePointer
    /// What has arrived, and what is to be sent, both encrypted; the session owns them.
    private let arrived: OpaquePointer
    private let departing: OpaquePointer
    private var piece = [UInt8](repeating: 0, count: 64 << 10)

    /// Begins a session with a server of that name.
    init(_ settings: RedisTLS, host: String) throws(RedisError.Reason) {
      let context = try unsafe Self.makeContext(settings)
      defer { unsafe SSL_CTX_free(context) }
      guard let session = unsafe SSL_new(context), let arrived = unsafe BIO_new(BIO_s_mem()),
        let departing = unsafe BIO_new(BIO_s_mem())
      else { throw .unreachable("there is no memory for a TLS session") }
      (unsafe self.session, unsafe self.arrived, unsafe self.departing) = unsafe (session, arrived, departing)
      unsafe SSL_set_bio(session, arrived, departing)
      unsafe SSL_set_connect_state(session)
      let name = settings.serverName ?? host
      // An address is compared with the addresses in the certificate.
      let isAddress = unsafe X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(session), name) == 1
      let isNamed = unsafe isAddress || (subpub_name_server(session, name) == 1 && SSL_set1_host(session, name) == 1)
      guard isNamed else { throw .unreachable("TLS can't be used: \(name.debugDescription) is no name of a server") }
    }

    deinit { unsafe SSL_free(session) }

    private static func makeContext(_ settings: RedisTLS) throws(RedisError.Reason) -> OpaquePointer {
      ERR_clear_error()
      guard let context = unsafe SSL_CTX_new(TLS_client_method()), unsafe subpub_require_tls_1_2(context) == 1 else {
        throw .unreachable("TLS can't be used: \(reason)")
      }
      do throws(RedisError.Reason) {
        if let file = settings.authorities {
          try check(unsafe SSL_CTX_load_verify_locations(context, file, nil), "the authorities in \(file)")
        } else {
          try check(unsafe SSL_CTX_set_default_verify_paths(context), "the system's authorities")
        }
        if let file = settings.certificate {
          try check(unsafe SSL_CTX_use_certificate_chain_file(context, file), "the certificate in \(file)")
          let key = settings.privateKey ?? file
          try check(unsafe SSL_CTX_use_PrivateKey_file(context, key, SSL_FILETYPE_PEM), "the private key in \(key)")
        }
      } catch {
        unsafe SSL_CTX_free(context)
        throw error
      }
      unsafe SSL_CTX_set_verify(context, settings.verifiesServer ? SSL_VERIFY_PEER : SSL_VERIFY_NONE, nil)
      return unsafe context
    }

    private static func check(_ result: Int32, _ what: String) throws(RedisError.Reason) {
      if result != 1 { throw .unreachable("TLS can't be used: \(what) can't be read: \(reason)") }
    }

    /// Why the last call has failed.
    private static var reason: String {
      let code = ERR_get_error()
      ERR_clear_error()
      guard code != 0 else { return "unknown" }
      // An error of the system has this bit, and no text.
      if code & 0x8000_0000 != 0 { return unsafe String(cString: strerror(Int32(code & 0x7FFF_FFFF))) }
      return unsafe ERR_reason_error_string(code).map { unsafe String(cString: $0) } ?? "error \(code)"
    }
  }

  extension TLSSession {
    /// Goes on with the handshake; returns whether it is over.
    ///
    /// Otherwise, more has to be sent or to arrive.
    func proceedWithHandshake() throws(RedisError.Reason) -> Bool {
      ERR_clear_error()
      let result = unsafe SSL_do_handshake(session)
      if result == 1 { return true }
      if unsafe SSL_get_error(session, result) == SSL_ERROR_WANT_READ { return false }
      let verification = unsafe SSL_get_verify_result(session)
      if verification != X509_V_OK, unsafe SSL_get_verify_mode(session) != SSL_VERIFY_NONE {
        let text = unsafe String(cString: X509_verify_cert_error_string(verification))
        throw .unreachable("the server's certificate isn't accepted: \(text)")
      }
      throw .unreachable("the server doesn't speak TLS, or refuses it: \(Self.reason)")
    }

    /// Encrypts bytes; `takeDeparting` returns the result.
    func encrypt(_ bytes: [UInt8]) throws(RedisError.Reason) {
      ERR_clear_error()
      var written = 0
      // The memory that it goes to grows, so nothing is written only in part.
      guard unsafe bytes.isEmpty || SSL_write_ex(session, bytes, bytes.count, &written) == 1 else {
        throw .unreachable("the connection was lost: \(Self.reason)")
      }
    }

    /// Takes what has to be sent.
    func takeDeparting() -> [UInt8] {
      var bytes = [UInt8](repeating: 0, count: unsafe BIO_ctrl_pending(departing))
      let count = unsafe BIO_read(departing, &bytes, Int32(clamping: bytes.count))
      return Array(bytes.prefix(Int(max(0, count))))
    }

    /// Adds bytes that have arrived.
    func add(_ bytes: ArraySlice<UInt8>) throws(RedisError.Reason) {
      if bytes.isEmpty { return }
      let count = unsafe bytes.withUnsafeBytes { unsafe BIO_write(arrived, $0.baseAddress, Int32(clamping: $0.count)) }
      if count != bytes.count { throw .unreachable("there is no memory for a reply") }
    }

    /// Decrypts all that has arrived, piece by piece; returns false if the server has ended the session.
    func decrypt(_ body: (ArraySlice<UInt8>) throws(RedisError.Reason) -> Void) throws(RedisError.Reason) -> Bool {
      while true {
        ERR_clear_error()
        var count = 0
        let result = unsafe SSL_read_ex(session, &piece, piece.count, &count)
        if result == 1 {
          try body(piece[..<count])
          continue
        }
        switch unsafe SSL_get_error(session, result) {
        case SSL_ERROR_WANT_READ: return true
        case SSL_ERROR_ZERO_RETURN: return false
        default: throw .unreachable("the connection was lost: \(Self.reason)")
        }
      }
    }
  }
#endif
