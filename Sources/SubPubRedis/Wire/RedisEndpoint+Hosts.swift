#if Redis
  import SubPub

  extension RedisEndpoint {
    /// The primary that a sentinel has named.
    ///
    /// The link to the sentinel isn't encrypted. Somebody who can change it can name any host, and have a certificate
    /// for that name, so the server's certificate is compared with a name that is the user's own.
    func primary(at host: Host) throws(RedisError.Reason) -> RedisEndpoint {
      #if RedisTLS
        if let tls, tls.verifiesServer, tls.serverName == nil {
          throw .unreachable(
            "TLS can't be used: sentinels name the server over a link that isn't encrypted, so set tls.serverName to a"
              + " name in the certificates of the primary and its replicas")
        }
      #endif
      return at(host)
    }

    var isEncrypted: Bool {
      #if RedisTLS
        tls != nil
      #else
        false
      #endif
    }

    /// The host's name; for a socket in the file system, the one that its server's certificate would have.
    var host: String { if case .tcp(let host) = address { host.name } else { "localhost" } }
  }
#endif
