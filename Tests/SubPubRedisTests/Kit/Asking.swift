#if Redis
  import Foundation

  /// Asks a server one thing, over a connection of its own, and writes the reply as `redis-cli` does.
  ///
  /// Not by a program, because tests ask often: Foundation starts programs slowly, and sometimes reads beyond the end
  /// of a list of open files when it does.
  struct Asking {
    private let connection: Int32
    private var bytes: [UInt8] = []

    /// Returns the lines of the reply; nothing if the server doesn't reply.
    static func reply(of socket: String, to arguments: [String]) -> String {
      guard let connection = RawServer.connection(to: socket) else { return "" }
      defer { close(connection) }
      var command = Array("*\(arguments.count)\r\n".utf8)
      for argument in arguments { command += Array("$\(argument.utf8.count)\r\n\(argument)\r\n".utf8) }
      guard RawServer.send(command, to: connection) else { return "" }
      var asking = Asking(connection: connection)
      return asking.lines()?.joined(separator: "\n") ?? ""
    }

    /// The lines of the next reply; nil if the connection has ended.
    private mutating func lines() -> [String]? {
      guard let line = take(upTo: bytes.firstRange(of: "\r\n".utf8)?.lowerBound) else { return nil }
      let text = String(decoding: line.dropFirst().dropLast(2), as: UTF8.self)
      switch line.first {
      case UInt8(ascii: "$"):
        guard let count = Int(text), count >= 0 else { return [""] }
        guard let value = take(count + 2) else { return nil }
        return [String(decoding: value.dropLast(2), as: UTF8.self)]
      case UInt8(ascii: "*"):
        var all: [String] = []
        for _ in 0..<max(0, Int(text) ?? 0) {
          guard let lines = lines() else { return nil }
          all += lines
        }
        return all
      default: return [text]
      }
    }

    /// Takes a line with its end, which may still have to arrive.
    private mutating func take(upTo end: Int?) -> [UInt8]? {
      if let end { return take(end + 2) }
      guard receive() else { return nil }
      return take(upTo: bytes.firstRange(of: "\r\n".utf8)?.lowerBound)
    }

    private mutating func take(_ count: Int) -> [UInt8]? {
      while bytes.count < count { guard receive() else { return nil } }
      defer { bytes.removeFirst(count) }
      return Array(bytes[..<count])
    }

    private mutating func receive() -> Bool {
      let more = RawServer.receive(from: connection)
      bytes += more
      return !more.isEmpty
    }
  }
#endif
