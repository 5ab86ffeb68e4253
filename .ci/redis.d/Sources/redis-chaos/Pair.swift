import Foundation

/// A primary, its replica, and a sentinel, which lets the two change places.
final class Pair: Sendable {
  let servers: [RedisServer]
  let sentinel: Sentinel
  private let ports: [Int]

  /// Starts a replica of a server that runs, and the sentinel.
  init(_ first: RedisServer, _ port: Int) throws {
    ports = [port, try RedisServer.freePort()]
    let second = try RedisServer(in: "\(first.folder)/second", isTemporary: false, Self.options(ports[1]))
    servers = [first, second]
    try second.start()
    try second.run("REPLICAOF", "127.0.0.1", "\(port)")
    try wait(for: "replica", seconds: 20) { try Self.isReplica(second) }
    // A replica that was without its primary for more than ten times `downAfter` before isn't promoted.
    let sentinel = try Sentinel(of: port, in: first.folder, downAfter: 1_000, failoverTimeout: 1_000)
    self.sentinel = sentinel
    try wait(for: "sentinel", seconds: 20) { !sentinel.run("MASTER", "cache").isEmpty }
    // It soon corrects a server that takes itself for the primary, and doesn't pause for half a minute if the machine
    // is busy. A server that knows no such settings is slower.
    for (name, value) in [("info", 250), ("publish", 250), ("tilt", 1_000)] {
      sentinel.run("DEBUG", "\(name)-period", "\(value)")
    }
  }

  static func options(_ port: Int) -> [String] {
    ["--port", "\(port)", "--bind", "127.0.0.1", "--repl-diskless-sync-delay", "0"]
  }

  /// The primary that the sentinel names.
  var primary: RedisServer {
    let port = sentinel.run("GET-MASTER-ADDR-BY-NAME", "cache").split(separator: "\n").last
    return servers[ports.firstIndex { "\($0)" == port ?? "" } ?? 0]
  }

  /// Waits until the sentinel knows a primary and its replica, which holds the same and can take its place.
  func settled() throws -> (primary: RedisServer, replica: RedisServer) {
    var (primary, replica) = (servers[0], servers[1])
    try wait(for: "replica that can be promoted", seconds: 60) {
      primary = self.primary
      replica = servers[primary === servers[0] ? 1 : 0]
      return try sentinel.run("MASTER", "cache").contains("\nflags\nmaster\n")
        && sentinel.run("REPLICAS", "cache").contains("\nflags\nslave\n")
        && primary.run("INFO", "replication").contains("state=online") && Self.isReplica(replica)
    }
    return (primary, replica)
  }

  private static func isReplica(_ server: RedisServer) throws -> Bool {
    try server.run("INFO", "replication").contains("master_link_status:up")
  }

  func end() { for server in servers { server.kill() } }
}
