#if Redis && DEBUG
  import SubPub
  @testable import SubPubRedis
  import Testing

  /// What happens to a run, with seconds as times, and what it does, in words.
  struct DrivenOutlet {
    private static let start = Moment.now
    var machine: OutletMachine
    private var time = 0.0
    private var connections = 0
    /// What it has done, and not yet said.
    private var done: [String] = []
    /// What was sent last.
    private(set) var sent: [UInt8] = []
    /// When its connection looks next.
    private var nextLook = 0.0
    /// What the server hasn't answered.
    private var owed: [Owed] = []

    private enum Owed {
      case replies(Int)
      case look(OutletLook)
    }

    var now: Moment { Self.start + .seconds(time) }

    init(lease: Duration? = nil, maxLength: Int = 100) {
      let settings = OutletMachine.Settings(
        key: "key", endpoint: RedisEndpoint(timeout: .seconds(2)), maxLength: maxLength)
      machine = OutletMachine(settings, lease: lease.map { OutletLease(time: $0, holder: "me") })
      machine.start()
    }

    /// One that writes, with this number.
    init(writing token: Int, lease: Duration? = nil, maxLength: Int = 100) throws {
      self.init(lease: lease, maxLength: maxLength)
      connect()
      try reply("*4\r\n:1\r\n\(Self.string("\(token)")):0\r\n$-1\r\n")
      _ = flush()
      _ = taken()
    }

    static func string(_ text: String) -> String { "$\(text.utf8.count)\r\n\(text)\r\n" }

    mutating func taken() -> [String] {
      act()
      defer { done = [] }
      return done
    }

    private mutating func act() {
      for action in machine.takeActions() {
        switch action {
        case .send(let bytes, let count):
          sent = bytes
          owed.append(.replies(count))
        case .leave: owed = []
        case .connect, .subscribe, .proceed, .tell, .rest, .end: break
        }
        done.append(Self.name(of: action))
      }
    }

    private static func name(of action: OutletMachine.Action) -> String {
      switch action {
      case .connect(let node): node.map { "connect to \($0)" } ?? "connect"
      case .leave: "leave"
      case .send(let bytes, let count): name(of: bytes, count)
      case .subscribe: "subscribe"
      case .proceed: "proceed"
      case .tell(let event): "tell \(event)"
      case .rest(let reason, let isLoss): "rest\(isLoss ? " after a loss" : ""): \(reason)"
      case .end(let error): "end\(error.map { ": \(type(of: $0))" } ?? "")"
      }
    }

    private static func name(of bytes: [UInt8], _ count: Int) -> String {
      let text = String(decoding: bytes, as: UTF8.self)
      let script = OutletScript.allCases.first { text.contains($0.source) }
      let name = script.map { "\($0)" } ?? String(text.split(separator: "\r\n")[2])
      return name + (count > 1 ? " × \(count)" : "")
    }

    mutating func connect(start: String? = "start") {
      connections += 1
      nextLook = time + 1
      machine.connected(connections, start: start, at: now)
    }

    /// Replies, as the server sends them.
    mutating func reply(_ text: String) throws {
      act()
      var rest = try #require(ReplyReader()).replies(completedBy: Array(text.utf8)[...]).replies[...]
      while !rest.isEmpty, let first = owed.first {
        switch first {
        case .replies(let count):
          let replies = rest.prefix(count)
          if replies.count < count { owed[0] = .replies(count - replies.count) } else { owed.removeFirst() }
          rest = rest.dropFirst(count)
          machine.received(Array(replies), over: connections, at: now)
        case .look(let look):
          owed.removeFirst()
          machine.looked(look, rest.prefix(look.replyCount), at: now)
          rest = rest.dropFirst(look.replyCount)
        }
        act()
      }
      #expect(rest.isEmpty, "nobody has asked for them")
    }

    mutating func wait(_ seconds: Double) {
      act()
      time += seconds
      machine.timeHasCome(at: now)
      act()
      guard time >= nextLook else { return }
      nextLook = time + 1
      guard !isLooking, let (look, bytes) = look() else { return }
      done.append(Self.name(of: bytes, look.replyCount))
      owed.append(.look(look))
    }

    /// A look of its connection, which may read so many bytes of last entries, besides the first one.
    func look(reading bytes: Int = .max, after others: Int = 0) -> (look: OutletLook, bytes: [UInt8])? {
      var (share, asking) = (LookShare(bytes), [UInt8]())
      if others > 0 { _ = share.take(others) }
      return machine.look(at: now, reading: &share, askingWith: &asking).map { ($0, asking) }
    }

    private var isLooking: Bool { owed.contains { if case .look = $0 { true } else { false } } }

    /// Nothing happens for so long, not even what is due.
    mutating func pause(_ seconds: Double) { time += seconds }

    /// Connects again after a loss, once the delay is over.
    mutating func reconnect(start: String? = "start") {
      machine.retry()
      connect(start: start)
    }

    mutating func lose(isClosed: Bool = false, isLate: Bool = false, isTooSlow: Bool = false) {
      machine.lost(
        .unreachable("lost"), isClosed: isClosed, isLate: isLate, isTooSlow: isTooSlow, over: connections)
    }

    /// Loses the connection, and finds this over the next one.
    mutating func replaceConnection(
      settling number: String?, last: String?, holding ids: [String] = []
    ) throws {
      lose()
      reconnect()
      _ = taken()
      try settle(number: number, last: last, holding: ids)
    }

    mutating func flush() -> Bool { machine.flush(at: now) }

    /// Takes a state, makes an entry of it, and lets it be sent.
    mutating func write(_ version: UInt64, bytes: Int = 1) -> [String] {
      machine.taken(version, at: now)
      let id = EntryID(epoch: machine.token ?? 0, version: version)
      let arguments = RedisCommand("\(id)", "value", String(repeating: "7", count: bytes))
      let entry = OutletEntry(
        id: id, arguments: arguments, publication: PublicationID(epoch: 1, version: version), sent: 0,
        before: nil)
      _ = machine.append(entry)
      _ = flush()
      return taken()
    }

    /// What ``OutletScript/settle`` finds.
    mutating func settle(number: String?, last: String?, holding ids: [String] = []) throws {
      let counter = number.map(Self.string) ?? "$-1\r\n"
      let entry = last.map { "*2\r\n\(Self.string($0))*0\r\n" } ?? "$-1\r\n"
      try reply("*3\r\n\(counter)\(entry)*\(ids.count)\r\n" + ids.map(Self.string).joined())
    }
  }
#endif
