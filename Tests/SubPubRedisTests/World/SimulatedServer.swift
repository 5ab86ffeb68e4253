#if Redis && (DEBUG || TESTABLE)
  @testable import SubPubRedis
  @testable import SubPubTesting

  /// A server: the stand-in's, with what may happen to one.
  final class SimulatedServer {
    unowned let world: World
    var server = StandInServer()
    private(set) var links: [Int: SimulatedLink] = [:]
    private(set) var isUp = true
    private(set) var hasLostData = false { didSet { lastLoss = world.time } }
    /// What was in the streams at some time.
    private var snapshot: StandInData?
    /// The entries that the server has ever taken, by their keys.
    private(set) var taken: [String: Set<EntryID>] = [:]
    /// The greatest numbers that outlets were given.
    private(set) var greatestNumbers: [String: UInt64] = [:]
    /// Keys whose number was lost in the millisecond in which an outlet got it.
    private(set) var givenAgain: Set<String> = []
    /// That of the outlet before the one with the greatest.
    private(set) var formerNumbers: [String: UInt64] = [:]
    /// Keys of which somebody has removed the oldest entries, perhaps before their outlet has got its replies.
    var trimmed: Set<String> = []
    /// The last ids that were seen.
    private var ends: [String: StandInID] = [:]
    private var counts: [String: [UInt64: Int]] = [:]
    /// When a key has lost something last, and when that was its counter, or the server was started again.
    private(set) var losses: [String: (any: Duration, former: Duration, evident: Duration)] = [:]
    /// When a lease was lost, and whether it had lasted too briefly for those who wait to see it.
    private(set) var leaseLosses: [String: [(time: Duration, wasBrief: Bool)]] = [:]
    /// Since when a lease is held.
    private var leaseBegins: [String: Duration] = [:]
    /// What refuses commands, or a moment later doesn't.
    var flicker: (message: String, end: Duration)?
    /// How many bytes a value may have.
    var largestValue = Int.max
    /// How many bytes a connection carries in a millisecond; nil for any number.
    var rate: Int?
    /// How many bytes a client may be told at a time; nil for any number.
    var outputLimit: Int?
    /// How many bytes arrive at clients in a millisecond; nil for any number.
    var clientRate: Int?
    private var holders: [String: String] = [:]
    /// Told of each outlet that gets a lease.
    var noteHolder: (String, String) -> Void = { _, _ in }
    /// Told of each entry that the server takes.
    var noteTaken: (String, EntryID) -> Void = { _, _ in }
    let name: String
    /// When an entry was taken last.
    private(set) var lastTaken: [String: Duration] = [:]
    /// When what arrives now was sent.
    private(set) var sentOfArrival: Duration?
    /// When somebody has put older data here, or removed some.
    private(set) var lastLoss: Duration?
    /// Servers that follow this one, and how long after it.
    private var replicas: [(server: SimulatedServer, lag: Duration)] = []
    private var replicated = 0
    private weak var primary: SimulatedServer?
    /// When the next wait of a client ends.
    private var wake: Duration?

    init(_ world: World, _ name: String = "the server") { (self.world, self.name) = (world, name) }

    /// In microseconds since 1970.
    var milliseconds: UInt64 { UInt64(clock / 1_000) }
    var start: String { "start \(starts)" }
    private var starts = 1

    private var clock: Int { 1_700_000_000_000_000 + Int(world.time / .microseconds(1)) }

    // MARK: Clients

    func connect(_ link: SimulatedLink) -> Int? {
      guard isUp else { return nil }
      let number = server.connect()
      links[number] = link
      return number
    }

    func receive(_ bytes: [UInt8], sent: Duration, from client: Int) {
      guard isUp, links[client] != nil else { return }
      sentOfArrival = sent
      defer { sentOfArrival = nil }
      let end = startOfTooLargeValue(in: bytes)
      for piece in pieces(of: end.map { Array(bytes[..<$0]) } ?? bytes) {
        if let flicker { server.refusal = world.chance.percent(40) ? (flicker.message, true) : nil }
        server.receive(piece, from: client, at: clock)
        look()
      }
      // What came before is answered.
      if end != nil {
        flush()
        server.disconnect(client)
      }
      flush()
      wait()
    }

    /// Ends the waits of clients when they are over.
    private func wait() {
      guard let end = server.nextEnd else { return }
      let time = world.time + .microseconds(max(0, end - clock))
      if let wake, wake > world.time, wake <= time { return }
      wake = time
      world.after(time - world.time) { [self] in
        wake = nil
        server.pass(to: clock)
        flush()
        wait()
      }
    }

    // MARK: Replicas

    /// Lets another server follow this one, so long after it.
    func add(_ replica: SimulatedServer, lag: Duration) {
      replica.primary = self
      replica.server.refusal = ("READONLY You can't write against a read only replica.", true)
      replicas.append((replica, lag))
    }

    private func replicate() {
      if replicas.isEmpty || replicated == server.data.changeCount { return }
      replicated = server.data.changeCount
      for (replica, lag) in replicas {
        world.after(lag) { [data = server.data] in if replica.isUp { replica.change { $0 = data } } }
      }
    }

    /// Changes what the server has, and tells those that wait for it.
    func change(_ body: (inout StandInData) -> Void) {
      var data = server.data
      body(&data)
      server.replaceData(by: data, at: clock)
      look()
      flush()
    }

    /// Lets go of everything when the world is over.
    func dissolve() { (links, replicas) = ([:], []) }

    func disconnect(_ client: Int) {
      links[client] = nil
      server.disconnect(client)
    }

    private func flush() {
      for (client, link) in links.sorted(by: { $0.key < $1.key }) {
        var output = server.takeOutput(of: client)
        if let outputLimit, let bytes = output, bytes.count > outputLimit {
          // Refusals, and the ids that an outlet is told, are only large together, if many entries were sent at once.
          let isOfMany = bytes.first == UInt8(ascii: "-") || bytes.starts(with: "*3".utf8)
          if !isOfMany {
            server.disconnect(client)
            output = nil
          }
        }
        guard let output else {
          links[client] = nil
          link.close()
          continue
        }
        if !output.isEmpty { link.arrive(output) }
      }
    }

    /// Finds out what was taken.
    private func look() {
      replicate()
      for key in keys {
        let number = number(of: key)
        if number > greatestNumbers[key] ?? 0 {
          (formerNumbers[key], greatestNumbers[key]) = (greatestNumbers[key], number)
        }
        let holder = leaseHolder(of: key)
        leaseBegins[key] = holder.map { _ in leaseBegins[key] ?? world.time }
        if let holder, holders.updateValue(holder, forKey: key) != holder {
          noteHolder(key, holder)
        }
        let last = server.data.records[Self.key(key)]?.stream?.last?.id ?? .zero
        let before = ends.updateValue(last, forKey: key) ?? .zero
        guard last > before, let stream = server.data.records[Self.key(key)]?.stream else { continue }
        for id in stream.ids(from: .behind(before)) {
          let id = EntryID(epoch: id.milliseconds, version: id.sequence)
          guard taken[key, default: []].insert(id).inserted else { continue }
          lastTaken[key] = world.time
          counts[key, default: [:]][id.epoch, default: 0] += 1
          noteTaken(key, id)
        }
      }
    }

    /// How many entries of an outlet were ever taken.
    func count(of key: String, _ token: UInt64) -> Int { counts[key]?[token] ?? 0 }
    /// The number of the outlet that has a key, as far as the server knows.
    func number(of key: String) -> UInt64 {
      let counter = server.data.records[Self.key("\(key):epoch")]?.string ?? []
      return UInt64(String(decoding: counter.prefix { $0 != 32 }, as: UTF8.self)) ?? 0
    }
    func leaseHolder(of key: String) -> String? {
      let record = server.data.records[Self.key("\(key):lease")]
      guard let record, record.end ?? .max >= milliseconds else { return nil }
      return String(decoding: record.string, as: UTF8.self)
    }
    func noteForeign(_ number: UInt64, in key: String) { greatestNumbers[key] = max(number, greatestNumbers[key] ?? 0) }
    /// When the server was started again last, and had lost something.
    private var lostWithRestart: Duration = .seconds(-100)

    func noteLoss(of key: String, isEvident: Bool) {
      hasLostData = true
      if number(of: key) >= milliseconds { givenAgain.insert(key) }
      let former = losses[key]
      losses[key] = (
        world.time, former?.any ?? .seconds(-100), isEvident ? world.time : former?.evident ?? .seconds(-100)
      )
    }

    var keys: [String] = []
    static func key(_ name: String) -> StandInData.Key { StandInData.Key(database: 0, name: Array(name.utf8)) }

    func length(of key: String) -> Int { server.data.records[Self.key(key)]?.stream?.count ?? 0 }

    /// The entries that a stream holds.
    func held(_ key: String, after id: EntryID) -> [EntryID] {
      let bound = StandInBound.behind(StandInID(milliseconds: id.epoch, sequence: id.version))
      let ids = server.data.records[Self.key(key)]?.stream?.ids(from: bound) ?? []
      return ids.map { EntryID(epoch: $0.milliseconds, version: $0.sequence) }
    }

    func last(of key: String) -> EntryID? {
      server.data.records[Self.key(key)]?.stream?.last.map {
        EntryID(epoch: $0.id.milliseconds, version: $0.id.sequence)
      }
    }

    // MARK: Harms

    enum Loss: CaseIterable { case nothing, everything, sinceSnapshot }

    func crash(_ loss: Loss, for time: Duration) {
      if loss != .nothing {
        lostWithRestart = world.time
        for key in keys { noteLoss(of: key, isEvident: true) }
      }
      world.note("\(name) crashes for \(time), and loses \(loss)")
      isUp = false
      for link in links.sorted(by: { $0.key < $1.key }).map(\.value) { link.close() }
      links = [:]
      server.restart()
      starts += 1
      change { data in
        switch loss {
        case .nothing: break
        case .everything: data.removeAll()
        case .sinceSnapshot: if let snapshot { data = snapshot }
        }
      }
      world.after(time) { [self] in
        isUp = true
        if let primary, primary.isUp { change { $0 = primary.server.data } }
      }
    }

    /// Lets the server accept what an outlet has sent that another one has superseded, until that one writes.
    func forbidSettingIDs() { server.data.maySetID = false }
    var maySetIDs: Bool { server.data.maySetID }

    func takeSnapshot() {
      var data = server.data
      // What somebody has put in the place of a stream would come back when nothing bad happens any more.
      for key in keys.map(Self.key) where data.records[key].map({ $0.stream == nil }) ?? false {
        data.records[key] = nil
      }
      snapshot = data
    }

    func killClients() {
      world.note("\(name) ends its connections")
      for link in links.sorted(by: { $0.key < $1.key }).map(\.value) { link.close() }
      for client in links.keys.sorted() { server.disconnect(client) }
      links = [:]
    }

    func remove(_ names: [String]) {
      // The lease alone is no loss: the outlet that has it takes it again.
      for key in keys where names.contains(key) || names.contains("\(key):epoch") {
        noteLoss(of: key, isEvident: names.contains("\(key):epoch"))
      }
      for key in keys where names.contains("\(key):lease") {
        let wasBrief = leaseBegins[key].map { $0 > world.time - .milliseconds(1_250) } ?? false
        leaseLosses[key, default: []].append((world.time, wasBrief))
      }
      world.note("somebody deletes \(names) of \(name)")
      change { data in for name in names { data.records[Self.key(name)] = nil } }
    }

    /// Puts an older copy of a stream, or of everything about its key, in its place.
    func restore(_ key: String, withCounter: Bool) {
      guard let snapshot else { return }
      noteLoss(of: key, isEvident: false)
      world.note("somebody restores an older \(key) of \(name)\(withCounter ? " and its counter" : "")")
      // The number is there again, as if it had never been lost.
      if withCounter { losses[key]?.evident = lostWithRestart }
      let names = withCounter ? [key, "\(key):epoch"] : [key]
      change { data in for name in names { data.records[Self.key(name)] = snapshot.records[Self.key(name)] } }
    }

    func removeLastEntry(of key: String) {
      guard let last = last(of: key) else { return }
      noteLoss(of: key, isEvident: false)
      world.note("somebody deletes the last entry of \(key) of \(name)")
      // Who was refused an id because of one that is gone can't know whose that was.
      noteForeign(last.epoch + 1, in: key)
      change {
        $0.records[Self.key(key)]?.stream?.remove(StandInID(milliseconds: last.epoch, sequence: last.version))
      }
      look()
    }

    func refuse(_ message: String, writesOnly: Bool) {
      world.note("\(name) refuses: \(message)")
      server.refusal = (message, writesOnly)
    }

    func accept() { (server.refusal, flicker) = (nil, nil) }
    var refusal: String? { server.refusal?.message ?? flicker?.message }
  }
#endif
