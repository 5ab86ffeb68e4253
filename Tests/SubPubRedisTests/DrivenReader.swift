#if Redis && DEBUG
  @testable import SubPubRedis
  import Testing

  /// What happens to a reader, with seconds as times, and what it does, in words; followers are numbers.
  struct DrivenReader {
    private static let start = Moment.now
    var machine = ReaderMachine<Int>(replyTimeout: .seconds(2), at: start)
    private var time = 0.0

    var now: Moment { Self.start + .seconds(time) }

    /// Returns what has to be done: connections with their numbers, commands without `TIME`, which each inquiry begins
    /// with, and events with their followers.
    mutating func taken() -> [String] {
      machine.takeActions().map { action in
        switch action {
        case .connect(let number): "connect \(number)"
        case .close(let number): "close \(number)"
        case .send(let message, let number): "\(number): \(Self.words(message.bytes))"
        case .pass(let event, let follower): "\(follower) \(Self.name(of: event))"
        case .passEntries(let entries, let follower):
          "\(follower) entries \(entries.map { "\($0.id)" }.joined(separator: " "))"
        case .end(let follower, let reason): "\(follower) ends: \(reason)"
        }
      }
    }

    private static func words(_ bytes: [UInt8]) -> String {
      let words = String(decoding: bytes, as: UTF8.self).split(separator: "\r\n").filter {
        !"*$".contains($0.prefix(1))
      }
      return (words.count > 1 && words[0] == "TIME" ? words.dropFirst() : words[...]).joined(separator: " ")
    }

    private static func name(of event: StreamEvent) -> String {
      switch event {
      case .empty: "empty"
      case .unchanged: "unchanged"
      case .behind(let entry): "behind \(entry.map { "\($0.id)" } ?? "nothing")"
      case .current(let entry): "current \(entry.id)"
      case .entry(let entry): "entry \(entry.id)"
      case .caughtUp: "caughtUp"
      case .checked: "checked"
      }
    }

    mutating func add(
      _ follower: Int, _ key: String = "key", _ position: StreamPosition = .newest, pacing: Double? = nil
    ) {
      let pacing = pacing.map { Duration.seconds($0) }
      machine.change(
        adding: [.init(follower: follower, key: Array(key.utf8), pacing: pacing, position: position)], at: now)
    }

    mutating func remove(_ follower: Int, _ key: String = "key") {
      machine.change(removing: [(follower, Array(key.utf8))], at: now)
    }

    mutating func connect(_ number: Int) { machine.connected(number, at: now) }

    mutating func lose(_ number: Int, _ what: String = "lost", isClosed: Bool = false, isTooSlow: Bool = false) {
      machine.lost(.unreachable(what), isClosed: isClosed, isTooSlow: isTooSlow, over: number, at: now)
    }

    mutating func wait(_ seconds: Double) {
      time += seconds
      machine.timeHasCome(at: now)
    }

    /// The server's time is 9 s, so that outlets' numbers up to 9000 are times in the past.
    static let time = "*2\r\n$1\r\n9\r\n$1\r\n0\r\n"
    static let none = "*-1\r\n"
    static let stream = "+stream\r\n"

    static func entries(_ ids: String...) -> String {
      "*\(ids.count)\r\n" + ids.map { "*2\r\n\(text($0))*2\r\n\(text("phase"))\(text("unknown"))" }.joined()
    }

    static func text(_ text: String) -> String { "$\(text.utf8.count)\r\n\(text)\r\n" }

    /// Entries, as `XREAD` returns them.
    static func read(_ key: String = "key", _ ids: String...) -> String {
      let list = ids.map { "*2\r\n\(text($0))*2\r\n\(text("phase"))\(text("unknown"))" }.joined()
      return "*1\r\n*2\r\n\(text(key))*\(ids.count)\r\n" + list
    }

    mutating func reply(_ number: Int, _ replies: String...) throws {
      let reader = try #require(ReplyReader())
      let found = reader.replies(completedBy: Array(replies.joined().utf8)[...])
      machine.received(found.replies, over: number, at: now)
    }

    /// One that follows streams that exist: their last entries are 5-1, 1 is the connection that rests, 2 asks.
    init(following keys: String...) throws {
      for (index, key) in keys.enumerated() { add(index, key) }
      connect(1)
      try reply(1, Self.time, Self.entries("5-1"))
      connect(2)
      try reply(2, Self.time)
      if keys.count > 1 { try reply(2, Self.time, keys.dropFirst().map { _ in Self.entries("5-1") }.joined()) }
      _ = taken()
    }

    /// One that follows a stream with a pace: its last entry is 5-1, and 1 is the connection.
    init(pacing seconds: Double) throws {
      add(0, pacing: seconds)
      connect(1)
      try reply(1, Self.time, Self.entries("5-1"))
      _ = taken()
    }

    init() {}
  }
#endif
