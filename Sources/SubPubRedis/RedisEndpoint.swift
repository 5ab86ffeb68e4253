#if Redis
  import SubPub

  /// Where a Redis server listens, and how to log in.
  ///
  /// Create one from the parts of an address, or from a URL (``init(url:)``), and change what is special about it:
  ///
  /// ```swift
  /// import SubPubRedis
  ///
  /// var endpoint = try RedisEndpoint(url: "redis://cache.example.com:6380/2")
  /// endpoint.clientName = "prices"
  /// endpoint.connectTimeout = .seconds(1)
  /// endpoint.credentials = { (username: "prices", password: try await readPassword()) }
  ///
  /// func readPassword() async throws -> String { "secret" }
  /// ```
  ///
  /// Outlets and mirrors with equal endpoints share what they need for the server. Two endpoints with
  /// ``credentials`` are equal if one is a copy of the other.
  public struct RedisEndpoint: Hashable, Sendable {
    /// The address of a server.
    enum Address: Hashable, Sendable {
      case tcp(Host)
      case unixSocket(ExactText)
      /// The primary of that name, which the sentinels at these addresses know.
      case sentinels([Host], primary: ExactText)
    }

    struct Host: Hashable, Sendable {
      private let exactName: ExactText
      let port: Int
      var name: String { exactName.text }

      init(name: String, port: Int) { (exactName, self.port) = (ExactText(name), port) }

      /// A host that a server has named; nil if there can be no such host.
      init?(named name: some StringProtocol, port: some StringProtocol) {
        guard let port = Int(port), (1...65_535).contains(port), Self.isName(name) else { return nil }
        self.init(name: String(name), port: port)
      }

      static func isName(_ text: some StringProtocol) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { $0 > 32 && $0 != 127 }
      }
    }

    /// How to log in.
    enum Login: Hashable, Sendable {
      case none
      case password(ExactText, username: ExactText?)
      case asked(CredentialsSource)
    }

    private(set) var address: Address
    /// At a cluster, the hash tag of the keys that are read together; nil if all keys are.
    private var hashTag: ExactText?
    var login: Login
    let database: Int

    /// How long to wait for a connection, with everything that belongs to it: what sentinels know, the host's address,
    /// credentials, encryption, and the login.
    ///
    /// At least a millisecond, and at most a day.
    public var connectTimeout: Duration { didSet { Self.check(connectTimeout, "connectTimeout") } }

    /// How long to wait for a reply, and at the end of an outlet for its last states.
    ///
    /// At least a millisecond, and at most a day.
    public var replyTimeout: Duration { didSet { Self.check(replyTimeout, "replyTimeout") } }

    /// What the server's list of clients calls the connections; nil for no name.
    ///
    /// - Precondition: It has no spaces, and only visible characters of ASCII.
    public var clientName: String? {
      didSet {
        guard let clientName, !clientName.utf8.allSatisfy({ (33...126).contains($0) }) || clientName.isEmpty else {
          return
        }
        stopForMisuse(
          "clientName is \(clientName.debugDescription), but Redis takes visible ASCII characters without spaces")
      }
    }

    /// Asked for the login before each connection is made, so that a password can change; nil for a fixed login or
    /// none.
    ///
    /// Setting it replaces a fixed login; setting it to nil leaves one. The closure runs on Swift's pool, and has as
    /// long as ``connectTimeout``. If it throws, the connection can't be made, and is tried again like any other.
    public var credentials: (@Sendable () async throws -> (username: String?, password: String))? {
      get { if case .asked(let source) = login { source.ask } else { nil } }
      set {
        if let newValue { login = .asked(CredentialsSource(newValue)) } else if case .asked = login { login = .none }
      }
    }

    #if RedisTLS
      /// How the connection is encrypted; nil if it isn't (trait `RedisTLS`).
      public var tls: RedisTLS?
    #endif

    /// Creates the endpoint of a server that listens on a TCP port.
    ///
    /// - Parameters:
    ///   - host: A name or an address.
    ///   - port: The port.
    ///   - username: The user to log in as; nil for the server's default user.
    ///   - password: The password; nil if the server wants none.
    ///   - database: The number of the database.
    ///   - timeout: The ``connectTimeout`` and the ``replyTimeout``.
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
        .tcp(Host(name: host, port: port)), named: host, username: username, password: password, database: database,
        timeout: timeout)
    }

    /// Creates the endpoint of a server that listens on a Unix socket.
    ///
    /// - Parameters:
    ///   - unixSocket: The path of the socket.
    ///   - username: The user to log in as; nil for the server's default user.
    ///   - password: The password; nil if the server wants none.
    ///   - database: The number of the database.
    ///   - timeout: The ``connectTimeout`` and the ``replyTimeout``.
    /// - Precondition: `database` isn't negative, `timeout` is at least a millisecond and at most a day, a user has a
    ///   password, and `unixSocket` contains no NUL.
    public init(
      unixSocket: String, username: String? = nil, password: String? = nil, database: Int = 0,
      timeout: Duration = .seconds(5)
    ) {
      self.init(
        .unixSocket(ExactText(unixSocket)), named: unixSocket, username: username, password: password,
        database: database, timeout: timeout)
    }

    init(
      _ address: Address, named name: String, username: String?, password: String?, database: Int,
      timeout: Duration = .seconds(5)
    ) {
      guard !name.isEmpty, !name.utf8.contains(0) else {
        stopForMisuse("the server's address is \(name.debugDescription): give a host name, an address, or a path")
      }
      guard database >= 0 else { stopForMisuse("database is \(database), but databases are numbered from 0") }
      Self.check(timeout, "timeout")
      guard username == nil || password != nil else {
        stopForMisuse("there is a username, but no password: Redis checks both or none")
      }
      self.address = address
      login = password.map { .password(ExactText($0), username: username.map(ExactText.init)) } ?? .none
      self.database = database
      connectTimeout = timeout
      replyTimeout = timeout
    }

    private static func check(_ timeout: Duration, _ name: String) {
      guard timeout >= .milliseconds(1), timeout <= .seconds(86_400) else {
        stopForMisuse("\(name) is \(timeout): give at least a millisecond, and at most a day")
      }
    }
  }

  extension RedisEndpoint: CustomReflectable {
    /// Shows no login, so a dump doesn't, either.
    public var customMirror: Mirror {
      Mirror(
        self,
        children: [
          "address": description, "connectTimeout": connectTimeout, "replyTimeout": replyTimeout,
          "clientName": clientName as Any,
        ],
        displayStyle: .struct)
    }
  }

  /// A text that is equal to another one only if its bytes are, as those of hosts, paths, and passwords have to be.
  ///
  /// Strings of Swift are equal even if they differ in Unicode normalization.
  struct ExactText: Hashable, Sendable {
    let text: String

    init(_ text: String) { self.text = text }

    static func == (left: ExactText, right: ExactText) -> Bool { left.text.utf8.elementsEqual(right.text.utf8) }

    func hash(into hasher: inout Hasher) {
      for byte in text.utf8 { hasher.combine(byte) }
      hasher.combine(UInt8.max)  // No byte of UTF-8.
    }
  }

  /// A closure that returns credentials, which is equal to itself only.
  final class CredentialsSource: Hashable, Sendable {
    let ask: @Sendable () async throws -> (username: String?, password: String)

    init(_ ask: @escaping @Sendable () async throws -> (username: String?, password: String)) { self.ask = ask }

    static func == (left: CredentialsSource, right: CredentialsSource) -> Bool { left === right }

    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
  }

  extension RedisEndpoint {
    /// The same server at another address: the login, the limits, and all else stay.
    func at(_ host: Host) -> RedisEndpoint {
      var endpoint = self
      endpoint.address = .tcp(host)
      return endpoint
    }

    /// The same server, for keys that a cluster has together with this one.
    func apart(for key: String) -> RedisEndpoint {
      var endpoint = self
      endpoint.hashTag = ExactText(Self.hashTag(of: key))
      return endpoint
    }

    /// What a cluster takes to find the node that has a key: what is between the first braces, or else the whole key.
    private static func hashTag(of key: String) -> String {
      guard let start = key.utf8.firstIndex(of: UInt8(ascii: "{")) else { return key }
      let rest = key.utf8[key.utf8.index(after: start)...]
      guard let end = rest.firstIndex(of: UInt8(ascii: "}")), end > rest.startIndex else { return key }
      return String(decoding: rest[..<end], as: UTF8.self)
    }
  }

  extension RedisEndpoint: CustomStringConvertible {
    /// The address and the database, without the login: `127.0.0.1:6379/0`.
    public var description: String {
      switch address {
      case .tcp(let host):
        host.name.contains(":")
          ? "[\(host.name)]:\(host.port)/\(database)" : "\(host.name):\(host.port)/\(database)"
      case .unixSocket(let path): "\(path.text)/\(database)"
      case .sentinels(let hosts, let primary):
        "\(primary.text) of \(hosts.map { "\($0.name):\($0.port)" }.joined(separator: ","))/\(database)"
      }
    }
  }
#endif
