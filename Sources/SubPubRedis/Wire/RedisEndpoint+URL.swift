#if Redis
  import Foundation
  import SubPub

  /// Why a text isn't the URL of a Redis server.
  ///
  /// The description doesn't repeat the URL, which may contain a password.
  public struct RedisURLError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What is wrong, and what to do.
    public let description: String

    /// Creates the error, for tests of code that handles it.
    ///
    /// - Parameter description: What is wrong.
    public init(_ description: String) { self.description = description }
  }

  extension RedisEndpoint {
    /// Creates the endpoint that a URL names, as other clients of Redis read it.
    ///
    /// | URL | server |
    /// |---|---|
    /// | `redis://host`, `redis://host:port/database` | on a TCP port; without them, 6379 and 0 |
    /// | `redis://user:password@host`, `redis://:password@host` | with a login |
    /// | `rediss://…` | the same, encrypted: needs the trait `RedisTLS`, and verifies the server's certificate |
    /// | `redis+unix:///path?db=1`, `unix:///path` | on a Unix socket |
    /// | `redis+sentinel://host1,host2:26379/name/database` | the primary of that name, which the sentinels know |
    ///
    /// Special characters in the user, the password, and the path are percent-encoded. An IPv6 address stands in
    /// brackets. For an encrypted connection to a primary that sentinels know, set ``tls`` with a
    /// ``RedisTLS/serverName``.
    ///
    /// - Parameter url: The URL.
    /// - Throws: ``RedisURLError`` if it isn't such a URL.
    public init(url: String) throws(RedisURLError) {
      let parts = try URLParts(url)
      let (username, password) = try parts.login()
      switch parts.scheme {
      case "redis":
        self = try Self.tcp(parts, username, password)
      case "rediss":
        #if RedisTLS
          self = try Self.tcp(parts, username, password)
          tls = RedisTLS()
        #else
          throw RedisURLError("rediss:// needs the trait RedisTLS of this package: add it to the dependency")
        #endif
      case "redis+unix", "unix":
        guard parts.host.isEmpty else {
          throw RedisURLError("the URL of a Unix socket has three slashes, as in redis+unix:///path")
        }
        guard parts.path.count > 1 else { throw RedisURLError("there is no path of a socket after \(parts.scheme)://") }
        let (path, database) = (try URLParts.decoded(parts.path), try parts.database(parts.query ?? ""))
        self.init(unixSocket: path, username: username, password: password, database: database)
      case "redis+sentinel":
        self = try Self.sentinels(parts, username, password)
      default:
        throw RedisURLError("the scheme isn't known: give redis, rediss, redis+unix, or redis+sentinel")
      }
    }

    private static func sentinels(
      _ parts: URLParts, _ username: String?, _ password: String?
    ) throws(RedisURLError) -> RedisEndpoint {
      var hosts: [Host] = []
      for host in parts.host.split(separator: ",", omittingEmptySubsequences: false) {
        let (name, port) = try parts.hostAndPort(host, defaultPort: 26_379)
        hosts.append(Host(name: name, port: port))
      }
      let path = parts.path.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
      guard let first = path.first, !first.isEmpty, path.count <= 2, parts.query == nil else {
        throw RedisURLError(
          "after the sentinels comes a slash, the name of the primary, and maybe /database")
      }
      guard let database = path.count == 1 ? 0 : URLParts.number(path[1]) else {
        throw RedisURLError("what follows the name of the primary isn't the number of a database")
      }
      let primary = try URLParts.decoded(first)
      return RedisEndpoint(
        .sentinels(hosts, primary: ExactText(primary)), named: primary, username: username, password: password,
        database: database)
    }

    private static func tcp(
      _ parts: URLParts, _ username: String?, _ password: String?
    ) throws(RedisURLError) -> RedisEndpoint {
      let (host, port) = try parts.hostAndPort(parts.host, defaultPort: 6_379)
      if parts.query != nil {
        throw RedisURLError(
          "nothing is known that could follow the question mark: set the endpoint's properties instead")
      }
      let text = parts.path.dropFirst()
      guard let database = text.isEmpty ? 0 : URLParts.number(text) else {
        throw RedisURLError("what follows the slash after the host isn't the number of a database")
      }
      return RedisEndpoint(host: host, port: port, username: username, password: password, database: database)
    }
  }

  /// The parts of a URL, still encoded.
  private struct URLParts {
    let scheme: String
    /// The user and the password; nil without an `@`.
    private let loginText: Substring?
    let host: Substring
    /// Begins with a slash, or is empty.
    let path: Substring
    /// What follows the question mark; nil without one.
    let query: Substring?

    init(_ url: String) throws(RedisURLError) {
      guard url.utf8.allSatisfy({ $0 > 32 && $0 != 127 }) else {
        throw RedisURLError("a URL has no spaces, line ends, or other control characters: percent-encode them")
      }
      guard let slashes = url.firstRange(of: "://") else {
        throw RedisURLError("there is no scheme: begin with redis://")
      }
      scheme = url[..<slashes.lowerBound].lowercased()
      let rest = url[slashes.upperBound...]
      if rest.contains("#") { throw RedisURLError("a # has no meaning here: write %23 if it belongs to the login") }
      let authority = rest.prefix { $0 != "/" && $0 != "?" }
      let at = authority.lastIndex(of: "@")
      loginText = at.map { authority[..<$0] }
      host = at.map { authority[authority.index(after: $0)...] } ?? authority
      let tail = rest[authority.endIndex...]
      // It may be the end of a login, which nobody is to see.
      if tail.contains("@") {
        throw RedisURLError(
          "there is an @ after a / or ?: write %2F and %3F in the user and the password, and %40 in a path or a name")
      }
      let mark = tail.firstIndex(of: "?")
      path = tail[..<(mark ?? tail.endIndex)]
      query = mark.map { tail[tail.index(after: $0)...] }
    }

    func login() throws(RedisURLError) -> (username: String?, password: String?) {
      guard let loginText else { return (nil, nil) }
      guard let colon = loginText.firstIndex(of: ":") else {
        throw RedisURLError("there is a user, but no password: write user:password@ or :password@ before the host")
      }
      let (user, password) = (loginText[..<colon], loginText[loginText.index(after: colon)...])
      return (user.isEmpty ? nil : try Self.decoded(user), try Self.decoded(password))
    }

    func hostAndPort(_ host: Substring, defaultPort: Int) throws(RedisURLError) -> (host: String, port: Int) {
      var (name, rest) = (host, host.suffix(0))
      if host.hasPrefix("[") {
        guard let end = host.firstIndex(of: "]") else { throw RedisURLError("a [ before the host isn't closed") }
        (name, rest) = (host[host.index(after: host.startIndex)..<end], host[host.index(after: end)...])
      } else if let colon = host.firstIndex(of: ":") {
        (name, rest) = (host[..<colon], host[colon...])
      }
      let decoded = try Self.decoded(name)
      if decoded.isEmpty { throw RedisURLError("there is no host after the scheme") }
      guard RedisEndpoint.Host.isName(decoded) else {
        throw RedisURLError("the host contains a space, a line end, or another control character")
      }
      guard !rest.isEmpty else { return (decoded, defaultPort) }
      guard rest.hasPrefix(":"), let port = Self.number(rest.dropFirst()), (1...65_535).contains(port) else {
        throw RedisURLError("what follows the colon after the host isn't a port up to 65535")
      }
      return (decoded, port)
    }

    /// The number of the database in the query of a Unix socket.
    func database(_ query: Substring) throws(RedisURLError) -> Int {
      if query.isEmpty { return 0 }
      guard query.hasPrefix("db="), let number = Self.number(query.dropFirst(3)) else {
        throw RedisURLError("what follows the question mark isn't db= and a number")
      }
      return number
    }

    static func number(_ text: Substring) -> Int? {
      text.utf8.allSatisfy { (48...57).contains($0) } ? Int(text) : nil
    }

    /// Replaces each percent sign and its two digits by the byte that they stand for.
    static func decoded(_ text: some StringProtocol) throws(RedisURLError) -> String {
      let decoded = text.removingPercentEncoding
      guard let decoded, !decoded.utf8.contains(0) else {
        throw RedisURLError("a percent sign isn't followed by the two digits of a byte, or the text isn't UTF-8")
      }
      return decoded
    }
  }
#endif
