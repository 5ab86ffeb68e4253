#if Redis
  import SubPub

  /// Where a Redis server listens, and how to log in.
  ///
  /// The connection isn't encrypted; the article <doc:AcrossProcesses> says how to send it through a tunnel.
  public struct RedisEndpoint: Hashable, Sendable {
    /// The address of a server.
    enum Address: Hashable, Sendable {
      case tcp(host: String, port: Int)
      case unixSocket(String)
    }

    let address: Address
    let username: String?
    let password: String?
    let database: Int
    /// How long to wait for a connection, for a reply, and at the end of an outlet for its last states.
    public let timeout: Duration

    /// Creates the endpoint of a server that listens on a TCP port.
    ///
    /// - Parameters:
    ///   - host: A name or an address.
    ///   - port: The port.
    ///   - username: The user to log in as; nil for the server's default user.
    ///   - password: The password; nil if the server wants none.
    ///   - database: The number of the database.
    ///   - timeout: How long to wait for a connection, for a reply, and at the end of an outlet for its last states.
    ///     Looking up a host name isn't limited by it.
    /// - Precondition: `port` is between 1 and 65,535, `database` isn't negative, `timeout` is at least a millisecond
    ///   and at most a day, a user has a password, and `host` contains no NUL.
    public init(
      host: String = "127.0.0.1", port: Int = 6379, username: String? = nil, password: String? = nil, database: Int = 0,
      timeout: Duration = .seconds(5)
    ) {
      guard (1...65_535).contains(port) else {
        stopForMisuse("port is \(port), but a TCP port is between 1 and 65535")
      }
      self.init(
        .tcp(host: host, port: port), named: host, username: username, password: password, database: database,
        timeout: timeout)
    }

    /// Creates the endpoint of a server that listens on a Unix socket.
    ///
    /// - Parameters:
    ///   - unixSocket: The path of the socket.
    ///   - username: The user to log in as; nil for the server's default user.
    ///   - password: The password; nil if the server wants none.
    ///   - database: The number of the database.
    ///   - timeout: How long to wait for a connection, for a reply, and at the end of an outlet for its last states.
    /// - Precondition: `database` isn't negative, `timeout` is at least a millisecond and at most a day, a user has a
    ///   password, and `unixSocket` contains no NUL.
    public init(
      unixSocket: String, username: String? = nil, password: String? = nil, database: Int = 0,
      timeout: Duration = .seconds(5)
    ) {
      self.init(
        .unixSocket(unixSocket), named: unixSocket, username: username, password: password, database: database,
        timeout: timeout)
    }

    private init(
      _ address: Address, named name: String, username: String?, password: String?, database: Int, timeout: Duration
    ) {
      guard !name.isEmpty, !name.utf8.contains(0) else {
        stopForMisuse("the server's address is \(name.debugDescription): give a host name, an address, or a path")
      }
      guard database >= 0 else { stopForMisuse("database is \(database), but databases are numbered from 0") }
      guard timeout >= .milliseconds(1), timeout <= .seconds(86_400) else {
        stopForMisuse("timeout is \(timeout): give at least a millisecond, and at most a day")
      }
      guard username == nil || password != nil else {
        stopForMisuse("there is a username, but no password: Redis checks both or none")
      }
      self.address = address
      self.username = username
      self.password = password
      self.database = database
      self.timeout = timeout
    }
  }

  extension RedisEndpoint: CustomStringConvertible {
    /// The address and the database, without the login: `127.0.0.1:6379/0`.
    public var description: String {
      switch address {
      case .tcp(let host, let port): "\(host):\(port)/\(database)"
      case .unixSocket(let path): "\(path)/\(database)"
      }
    }
  }
#endif
