#if Redis
  #if RedisTLS
    import SubPub

    /// How the connection to a server is encrypted (trait `RedisTLS`).
    ///
    /// The server's certificate and its host name are verified, against the system's authorities unless a file is
    /// named.
    ///
    /// ```swift
    /// import SubPubRedis
    ///
    /// var endpoint = RedisEndpoint(host: "redis.example.com")
    /// endpoint.tls = RedisTLS(authorities: "/etc/redis/ca.pem")
    /// ```
    ///
    /// Files are read at each connect, so a certificate that is renewed counts from the next connection on. Paths and
    /// names contain no NUL, at which they would be cut off. TLS 1.2 is the oldest version that is accepted.
    public struct RedisTLS: Hashable, Sendable {
      /// A file with the certificates of the authorities to trust, in PEM; nil for the system's.
      public var authorities: String? { didSet { check() } }
      /// A file with the client's certificate, and those that lead from it to an authority, in PEM; nil for none.
      public var certificate: String? { didSet { check() } }
      /// A file with the private key of the client's certificate, in PEM; nil if it is in the same file.
      public var privateKey: String? { didSet { check() } }
      /// The name that the server's certificate has to have; nil for the endpoint's host.
      ///
      /// If sentinels name the server, it is needed, because their answers can be changed on the way: give a name that
      /// the certificates of the primary and its replicas have in common.
      ///
      /// - Precondition: It isn't empty.
      public var serverName: String? { didSet { check() } }
      /// Whether the server's certificate is verified.
      ///
      /// Without that, anybody on the way can read and change everything. It is for tests.
      public var verifiesServer: Bool

      /// Creates settings.
      ///
      /// - Parameters:
      ///   - authorities: A file with the certificates of the authorities to trust, in PEM; nil for the system's.
      ///   - certificate: A file with the client's certificate chain, in PEM; nil for none.
      ///   - privateKey: A file with the private key of that certificate; nil if it is in the same file.
      ///   - serverName: The name that the server's certificate has to have; nil for the endpoint's host.
      ///   - verifiesServer: Whether the server's certificate is verified; false only in tests.
      public init(
        authorities: String? = nil, certificate: String? = nil, privateKey: String? = nil, serverName: String? = nil,
        verifiesServer: Bool = true
      ) {
        self.authorities = authorities
        self.certificate = certificate
        self.privateKey = privateKey
        self.serverName = serverName
        self.verifiesServer = verifiesServer
        check()
      }

      private func check() {
        if serverName == "" { stopForMisuse("serverName is empty: give the name in the server's certificate") }
        let texts = [
          ("authorities", authorities), ("certificate", certificate), ("privateKey", privateKey),
          ("serverName", serverName),
        ]
        for case (let name, let text?) in texts where text.utf8.contains(0) {
          stopForMisuse("\(name) is \(text.debugDescription), but neither a path nor a name contains a NUL")
        }
      }
    }

    extension RedisTLS {
      private var texts: [ExactText?] {
        [authorities, certificate, privateKey, serverName].map { $0.map(ExactText.init) }
      }

      /// Returns whether two settings are the same, byte by byte.
      public static func == (left: RedisTLS, right: RedisTLS) -> Bool {
        left.texts == right.texts && left.verifiesServer == right.verifiesServer
      }

      /// Hashes all settings.
      public func hash(into hasher: inout Hasher) {
        hasher.combine(texts)
        hasher.combine(verifiesServer)
      }
    }
  #else
    /// Needs the trait `RedisTLS`.
    @available(*, unavailable, message: "Add the trait to the dependency: .package(url: …, traits: [\"RedisTLS\"])")
    public struct RedisTLS: Hashable, Sendable {}
  #endif
#endif
