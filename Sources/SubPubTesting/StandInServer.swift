#if Redis
  /// The clients of a stand-in, and what they are told.
  ///
  /// Decides only: what arrives is passed to it, with the time, and what it has to say is taken from it.
  struct StandInServer {
    private struct Client {
      var reader = StandInReader()
      var output: [UInt8] = []
      var database = 0
      /// What the client waits for.
      var wait: Wait?
    }

    private struct Wait {
      let reading: StandInData.Reading
      /// When the wait ends without entries; nil if it doesn't.
      let end: Int?
    }

    var data = StandInData()
    private var clients: [Int: Client] = [:]
    private var lastClient = 0
    /// Those that wait, in the order in which they have begun.
    private var waiting: [Int] = []
    /// Those whose wait has ended, and that may have sent more.
    private var resumed: [Int] = []
    /// Why commands are refused, or those that write; nil if they aren't.
    var refusal: (message: String, ofWritesOnly: Bool)?
    /// Tells one start from another.
    private var runID = StandInServer.makeRunID()

    private static func makeRunID() -> String { String(UInt64.random(in: .min ... .max), radix: 16) }

    /// When the next wait ends, in microseconds since 1970.
    var nextEnd: Int? { waiting.lazy.compactMap { clients[$0]?.wait?.end }.min() }

    /// Adds a client, and returns its number.
    mutating func connect() -> Int {
      lastClient += 1
      clients[lastClient] = Client()
      return lastClient
    }

    mutating func disconnect(_ client: Int) {
      clients[client] = nil
      waiting.removeAll { $0 == client }
    }

    /// Forgets all clients, and begins anew with the same data.
    mutating func restart() { (clients, waiting, runID) = ([:], [], Self.makeRunID()) }

    /// Takes over what another server has, and tells those that wait for it.
    mutating func replaceData(by other: StandInData, at time: Int) {
      data.replaceRecords(by: other)
      data.now = time
      serveWaiting()
      proceed(at: time)
    }

    mutating func removeAll(at time: Int) {
      data.now = time
      data.removeAll()
    }

    mutating func entryCount(of key: [UInt8], at time: Int) -> Int {
      data.now = time
      return data.entryCount(of: StandInData.Key(database: 0, name: key))
    }

    /// Takes what has arrived from a client.
    mutating func receive(_ bytes: some Collection<UInt8>, from client: Int, at time: Int) {
      clients[client]?.reader.append(bytes)
      resumed.append(client)
      proceed(at: time)
    }

    /// Ends the waits that are over.
    mutating func pass(to time: Int) {
      for client in waiting {
        if let end = clients[client]?.wait?.end, end <= time { endWait(of: client, .noArray) }
      }
      proceed(at: time)
    }

    /// Takes what a client is told; nil if it isn't connected, because it doesn't speak the protocol, for example.
    mutating func takeOutput(of client: Int) -> [UInt8]? {
      guard let output = clients[client]?.output else { return nil }
      if !output.isEmpty { clients[client]?.output = [] }
      return output
    }

    /// Runs the commands of those that don't wait.
    private mutating func proceed(at time: Int) {
      data.now = time
      while let client = resumed.popLast() {
        do {
          while clients[client]?.wait == nil, let request = try clients[client]?.reader.next() {
            if let reply = reply(to: request, from: client) { clients[client]?.output += reply.bytes }
            serveWaiting()
          }
        } catch { disconnect(client) }
      }
    }

    /// Tells those that wait for changed keys what is new there.
    private mutating func serveWaiting() {
      let changed = data.takeChanged()
      if changed.isEmpty { return }
      for client in waiting {
        guard let reading = clients[client]?.wait?.reading,
          reading.positions.contains(where: { changed.contains($0.key) })
        else { continue }
        // A key that has become something else is waited for like one that doesn't exist.
        if let reply = try? data.read(reading) { endWait(of: client, reply) }
      }
    }

    private mutating func endWait(of client: Int, _ reply: StandInReply) {
      clients[client]?.wait = nil
      clients[client]?.output += reply.bytes
      waiting.removeAll { $0 == client }
      resumed.append(client)
    }
  }

  /// The commands.
  extension StandInServer {
    private enum Command: String { case auth, client, eval, info, ping, select, time, xread }

    /// Runs a command; returns nil if the client waits.
    private mutating func reply(to request: StandInRequest, from client: Int) -> StandInReply? {
      do throws(StandInRefusal) {
        if let refusal, !refusal.ofWritesOnly || request.writes { throw StandInRefusal(refusal.message) }
        return try run(request, of: client)
      } catch { return .refused(error) }
    }

    private static func unknown(_ request: StandInRequest) -> StandInRefusal {
      StandInRefusal("ERR unknown command '\(request.name)'")
    }

    private mutating func run(_ request: StandInRequest, of client: Int) throws(StandInRefusal) -> StandInReply? {
      let database = clients[client]?.database ?? 0
      if let command = StandInData.Command(rawValue: request.name) {
        return try data.run(command, request, in: database)
      }
      guard let command = Command(rawValue: request.name) else { throw Self.unknown(request) }
      var request = request
      switch command {
      case .auth: return .ok
      case .client: return try runClient(request, of: client)
      case .eval: return try data.runScript(request, in: database)
      case .info: return .text("# Server\r\nredis_version:7.0.0\r\nrun_id:\(runID)\r\n")
      case .ping: return request.argumentCount > 0 ? StandInReply(try request.next()) : .status("PONG")
      case .select:
        clients[client]?.database = try request.nextNumber()
        return .ok
      case .time: return StandInReply([.text("\(data.now / 1_000_000)"), .text("\(data.now % 1_000_000)")])
      case .xread:
        let reading = try StandInData.Reading(request, in: database)
        if let reply = try data.read(reading) { return reply }
        guard let limit = reading.limit else { return .noArray }
        clients[client]?.wait = Wait(reading: reading, end: limit == 0 ? nil : data.now + limit * 1_000)
        waiting.append(client)
        return nil
      }
    }

    private mutating func runClient(_ request: StandInRequest, of client: Int) throws(StandInRefusal) -> StandInReply {
      var request = request
      switch try request.nextWord() {
      case "setname": return .ok
      default: throw Self.unknown(request)
      }
    }
  }
#endif
