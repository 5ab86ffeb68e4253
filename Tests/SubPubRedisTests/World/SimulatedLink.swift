#if Redis && (DEBUG || TESTABLE)
  @testable import SubPubRedis

  /// A connection of a process to a server: what is on its way in both directions.
  final class SimulatedLink {
    enum Mood { case works, holdsBack, loses }

    unowned let world: World
    let number: Int
    let server: SimulatedServer
    private var client: Int?
    /// When something has arrived last.
    private(set) var lastArrival: Duration
    /// When something was sent last.
    private(set) var lastSending = Duration.zero
    private(set) var machine: ConnectionMachine<Int>
    private let delay: Duration
    private(set) var mood = (toServer: Mood.works, toClient: Mood.works)
    private var held: (toServer: [(bytes: [UInt8], sent: Duration)], toClient: [[UInt8]]) = ([], [])
    /// When the last bytes arrive that are on their way.
    private var last = (toServer: Duration.zero, toClient: Duration.zero)
    private var wake: Duration?
    private(set) var isClosed = false
    /// Since when nothing arrives any more.
    private(set) var isDead = false
    /// The channel whose reply was too late.
    private(set) var late: Int?
    /// Called with the link, so that none of them holds it.
    typealias User = (Result<[RedisReply], RedisError.Reason>, SimulatedLink) -> Void
    private var users: [Int: User] = [:]
    private let limit: Duration

    private unowned let process: SimulatedProcess

    init?(_ process: SimulatedProcess, number: Int, to server: SimulatedServer, within limit: Duration) {
      guard let reader = ReplyReader() else { return nil }
      let world = process.world
      answered = world.now
      (self.process, self.world, self.number, self.server, self.limit) = (process, world, number, server, limit)
      lastArrival = world.time
      machine = ConnectionMachine(
        reader, isEncrypted: false, by: world.now + limit, limit: limit, at: world.now)
      delay = .microseconds(world.chance.pick([30, 300, 5_000, 50_000]))
      // What a slow way still carries takes longer than some replies may.
      isHarmed = server.clientRate != nil || server.rate.map { $0 < 500 } ?? false
      client = server.connect(self)
      if client == nil { return nil }
    }

    var failure: RedisError.Reason? { machine.failure }
    /// Whether anything has happened to it or to the server, so that replies may be late.
    private var isHarmed = false
    /// When the last reply has arrived.
    private var answered: Moment
    /// What the process sends at a rate: what hasn't left it, and how much has.
    private var sending = (pieces: [ArraySlice<UInt8>](), queued: 0, left: 0, isUnderWay: false)
    /// How much of that the process may be rid of.
    private static let socketByteCount = 64 << 10

    func act<Result>(
      _ body: (inout ConnectionMachine<Int>, inout ConnectionMachine<Int>.Actions) -> Result
    ) -> Result {
      var actions = ConnectionMachine<Int>.Actions()
      let failure = failure
      let result = body(&machine, &actions)
      if let failure, failure != self.failure { world.violate("8.07: the reason \(failure) is replaced") }
      if !actions.deliveries.isEmpty { answered = world.now }
      if let late = actions.end?.late { self.late = late }
      let isEarly = !isHarmed || answered.duration(to: world.now) < limit && !machine.isTooSlow
      if actions.end?.late != nil, isEarly {
        let time = answered.duration(to: world.now)
        world.violate("8.07: \(process.name) blames connection \(number) to \(server.name), which answered \(time) ago")
      }
      for (channel, replies) in actions.deliveries { users[channel]?(.success(replies), self) }
      if let (reason, channels, _) = actions.end {
        if let client { server.disconnect(client) }
        client = nil
        for channel in channels.sorted() { users[channel]?(.failure(reason), self) }
      }
      wait()
      return result
    }

    func wait() {
      guard let deadline = machine.wait(at: world.now) else { return }
      let time = world.time + world.now.duration(to: deadline)
      if let wake, wake > world.time, wake <= time { return }
      wake = time
      world.after(time - world.time) { [self] in
        wake = nil
        process.run { [self] in act { $0.timeHasCome(world.now, &$1) } }
      }
    }

    func add(_ channel: Int, _ user: @escaping User) {
      users[channel] = user
      act { $0.add(channel, &$1) }
    }

    func remove(_ channel: Int) {
      users[channel] = nil
      machine.remove(channel)
    }

    func send(
      _ bytes: [UInt8], replies: Int, from channel: Int, within limit: TimeLimit? = nil
    ) -> RedisError.Reason? {
      let limit = limit ?? TimeLimit(limit: self.limit)
      lastSending = world.time
      let failure = act { machine, _ in
        machine.request(.init(channel: channel, count: replies, limit: limit, sent: world.now))
      }
      if failure == nil { if server.rate == nil { toServer(bytes) } else { queue(bytes) } }
      return failure
    }

    func end() { act { $0.lose(.unreachable("it isn't used any more"), &$1) } }

    // MARK: The way

    private func queue(_ bytes: [UInt8]) {
      sending.queued += bytes.count
      var rest = bytes[...]
      while !rest.isEmpty {
        sending.pieces.append(rest.prefix(8 << 10))
        rest = rest.dropFirst(8 << 10)
      }
      noteTransmission()
      sendNext()
    }

    private func sendNext() {
      guard !sending.isUnderWay, let rate = server.rate, failure == nil, let piece = sending.pieces.first else {
        return
      }
      sending.isUnderWay = true
      world.after(.microseconds(piece.count * 1_000 / rate)) { [self] in
        sending.isUnderWay = false
        guard mood == (.works, .works), failure == nil else { return }
        sending.pieces.removeFirst()
        sending.left += piece.count
        toServer(Array(piece))
        process.run { [self] in noteTransmission() }
        sendNext()
      }
    }

    private func noteTransmission() {
      let taken = min(sending.queued, sending.left + Self.socketByteCount)
      act { machine, _ in machine.transmitted(taken, of: sending.queued, at: world.now) }
    }

    private func toServer(_ bytes: [UInt8], sent: Duration? = nil) {
      let sent = sent ?? world.time
      switch mood.toServer {
      case .loses: return
      case .holdsBack: held.toServer.append((bytes, sent))
      case .works:
        last.toServer = max(last.toServer, world.time + delay)
        world.after(last.toServer - world.time) { [self] in
          if let client { server.receive(bytes, sent: sent, from: client) }
        }
      }
    }

    /// The server has said something.
    func arrive(_ bytes: [UInt8]) {
      switch mood.toClient {
      case .loses: return
      case .holdsBack: held.toClient.append(bytes)
      case .works:
        var rest = bytes[...]
        while !rest.isEmpty {
          let most = server.clientRate == nil ? rest.count : min(200, rest.count)
          let piece = rest.prefix(world.chance.percent(20) ? world.chance.number(1...most) : most)
          rest = rest.dropFirst(piece.count)
          last.toClient = max(last.toClient, world.time + delay)
          if let rate = server.clientRate { last.toClient += .microseconds(piece.count * 1_000 / rate) }
          world.after(last.toClient - world.time) { [self] in
            lastArrival = world.time
            process.run(isReceipt: true) { [self] in act { $0.received(piece, at: world.now, &$1) } }
          }
        }
      }
    }

    /// The server has ended the connection, which is noticed if it says so, and nothing is in the way.
    func close() {
      (client, isHarmed) = (nil, true)
      guard mood.toClient == .works else { return }
      last.toClient = max(last.toClient, world.time + delay)
      world.after(last.toClient - world.time) { [self] in
        process.run { [self] in
          isClosed = true
          act { $0.lose(.unreachable("the server has closed the connection"), &$1) }
        }
      }
    }

    // MARK: Harms

    func cut() {
      world.note("connection \(number) is cut")
      if let client { server.disconnect(client) }
      (client, isHarmed) = (nil, true)
      world.after(delay) { [self] in
        process.run(isReceipt: true) { [self] in act { $0.lose(.unreachable("the connection was lost"), &$1) } }
      }
    }

    /// Nothing arrives any more, in one direction or both.
    func die(toServer: Bool, toClient: Bool) {
      world.note("connection \(number) is dead\(toServer ? " to the server" : "")\(toClient ? " from the server" : "")")
      isHarmed = true
      if toServer { mood.toServer = .loses }
      if toClient { mood.toClient = .loses }
      isDead = true
    }

    func hold(for time: Duration) {
      guard mood == (.works, .works) else { return }
      world.note("connection \(number) is held back for \(time)")
      (mood, isHarmed) = ((.holdsBack, .holdsBack), true)
      world.after(time) { [self] in
        if mood.toServer == .holdsBack { mood.toServer = .works }
        if mood.toClient == .holdsBack { mood.toClient = .works }
        for (bytes, sent) in held.toServer { toServer(bytes, sent: sent) }
        for bytes in held.toClient { arrive(bytes) }
        held = ([], [])
        sendNext()
      }
    }
  }
#endif
