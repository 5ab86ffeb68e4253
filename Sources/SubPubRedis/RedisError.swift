#if Redis
  import Foundation
  import SubPub

  /// An error of a ``RedisOutlet`` or a ``RedisMirror``, whose description names the server, the key, and the reason.
  public struct RedisError: Error, Hashable, Sendable {
    /// The reason of an error.
    public enum Reason: Error, Hashable, Sendable {
      /// There is no connection: it couldn't be made, or it was lost.
      case unreachable(String)
      /// The server has refused a command, with this message.
      case refused(String)
      /// An entry of the stream isn't a state of the expected type (8.05).
      case undecodable(entry: String, String)
      /// A state can't be encoded, and was written as this error.
      case unencodable(String)
      /// A value has more bytes than the coder allows.
      case tooLarge(bytes: Int, limit: Int)
      /// A mirror is further behind than its ``RedisMirror`` was told to accept.
      case behind(Duration, limit: Duration)
      /// An outlet was cancelled, and so many states weren't confirmed by the server in time.
      case unwritten(Int)
    }

    /// The server.
    public let endpoint: RedisEndpoint
    /// The key of the stream.
    public let key: String
    /// The reason.
    public let reason: Reason

    /// Creates the error, for tests of code that handles it.
    ///
    /// - Parameters:
    ///   - endpoint: The server.
    ///   - key: The key of the stream.
    ///   - reason: The reason.
    public init(endpoint: RedisEndpoint, key: String, reason: Reason) {
      self.endpoint = endpoint
      self.key = key
      self.reason = reason
    }
  }

  extension RedisError: CustomStringConvertible {
    /// The server, the key, and the reason, in words, on one line.
    ///
    /// For example: `Redis at 127.0.0.1:6379/0, key news: cannot connect: Connection refused`.
    public var description: String { "Redis at \(endpoint), key \(key): \(reason)".onOneLine }
  }

  extension RedisError.Reason {
    /// Whether the next attempt may succeed.
    var isPassing: Bool {
      switch self {
      case .unreachable: true
      case .refused: prospect != .lasts
      case .undecodable, .unencodable, .tooLarge, .behind, .unwritten: false
      }
    }

    /// Whether the server works, and refuses to write: it is full, for example, or a replica.
    var refusesToWrite: Bool { prospect == .mayLast || prospect == .lasts }

    /// What becomes of a refusal.
    private enum Prospect {
      /// The server goes on by itself, however long that takes.
      case passes
      /// Somebody has to do something about it, and may just be doing that.
      case mayLast
      /// It stays the same until the program or the server is changed.
      case lasts
    }

    private var prospect: Prospect? {
      guard case .refused(let message) = self else { return nil }
      // A transaction has the reason of one of its commands.
      let abort = "EXECABORT Transaction discarded because of: "
      let cause = message.hasPrefix(abort) ? message.dropFirst(abort.count) : message[...]
      if Self.passing.contains(where: cause.hasPrefix) { return .passes }
      return Self.lasting.contains(where: cause.hasPrefix) ? .lasts : .mayLast
    }

    private static let lasting = [
      "CROSSSLOT ", "ERR ", "NOAUTH ", "NOPERM ", "NOPROTO ", "WRONGPASS ", "WRONGTYPE ",
    ]
    /// After a small id, the outlet looks for another writer.
    private static let passing = [
      "ASK ", "BUSY ", "CLUSTERDOWN ", "ERR max number of clients reached", "LOADING ", "MASTERDOWN ", "MOVED ",
      "TRYAGAIN ", tooSmallID,
      "ERR Protocol error",  // Bytes were damaged on the way.
    ]
    private static let tooSmallID = "ERR The ID specified in XADD is equal or smaller than the target"

    /// The node of a cluster that has the key, if the server has said so.
    func node(of endpoint: RedisEndpoint) -> RedisEndpoint? {
      guard case .refused(let message) = self, message.hasPrefix("MOVED ") else { return nil }
      let words = message.split(separator: " ")
      guard words.count == 3, let colon = words[2].lastIndex(of: ":") else { return nil }
      // Without a host, it is the one that was asked.
      let name = words[2][..<colon].isEmpty ? endpoint.host[...] : words[2][..<colon]
      return RedisEndpoint.Host(named: name, port: words[2][colon...].dropFirst()).map(endpoint.at)
    }

    /// Whether the server doesn't let this user run a command.
    var isForbidden: Bool { isRefused("NOPERM ") }

    /// Whether a cluster doesn't take keys together that it has at different nodes, or in different hash slots.
    var isCrossSlot: Bool { isRefused("CROSSSLOT ") }

    /// Whether the server takes what it has received for a wrong protocol, and ends the connection.
    var isProtocolError: Bool { isRefused("ERR Protocol error") }

    /// Whether a write was refused because the stream has a greater id, or the same.
    var isTooSmallID: Bool { isRefused(Self.tooSmallID) }

    private func isRefused(_ beginning: String) -> Bool {
      if case .refused(let message) = self { message.hasPrefix(beginning) } else { false }
    }
  }

  extension RedisError.Reason: CustomStringConvertible {
    /// The reason in words, without the server and the key.
    public var description: String {
      switch self {
      case .unreachable(let what): what
      case .refused(let message) where message.hasPrefix("CROSSSLOT "):
        "the server is a cluster, and the keys of the stream belong to different nodes: give the key a hash tag, as in"
          + " {weather}"
      case .refused(let message): "the server refuses: \(message)"
      case .undecodable(let entry, let what): "entry \(entry) isn't a state of the expected type: \(what)"
      case .unencodable(let what): "the state can't be encoded: \(what)"
      case .tooLarge(let bytes, let limit): "the value has \(bytes) bytes, and the limit is \(limit)"
      case .behind(let lag, let limit): "the mirror is \(lag) behind, and the limit is \(limit)"
      case .unwritten(let count): "cancelled, and \(count) state\(count == 1 ? "" : "s") couldn't be written in time"
      }
    }
  }

  /// The error of a ``RedisOutlet`` whose key another outlet has taken over (8.02).
  public struct RedisSuperseded: Error, Hashable, Sendable {
    /// The server.
    public let endpoint: RedisEndpoint
    /// The key of the stream.
    public let key: String

    /// Creates the error, for tests of code that handles it.
    ///
    /// - Parameters:
    ///   - endpoint: The server.
    ///   - key: The key of the stream.
    public init(endpoint: RedisEndpoint, key: String) {
      self.endpoint = endpoint
      self.key = key
    }
  }

  extension RedisSuperseded: CustomStringConvertible {
    /// What has happened, in words.
    public var description: String {
      "Redis at \(endpoint), key \(key): another outlet has taken the key over".onOneLine
    }
  }

  /// An error of the publishing process, as a ``RedisMirror`` publishes it.
  public struct RemoteError: Error, Hashable, Sendable {
    /// The name of the error's type in the publishing process.
    public let type: String
    /// The error's description.
    public let message: String

    /// Creates the error, for tests of code that handles it.
    ///
    /// - Parameters:
    ///   - type: The name of the error's type.
    ///   - message: The error's description.
    public init(type: String, message: String) {
      self.type = type
      self.message = message
    }
  }

  extension RemoteError: CustomStringConvertible {
    /// The message.
    public var description: String { message }
  }
#endif
