#if Redis && (DEBUG || TESTABLE)
  import SubPub
  @testable import SubPubRedis

  /// The place of data among all of a key: by version if one process has published both, and otherwise by when the main
  /// server has taken it first.
  struct DataOrder: Comparable {
    let id: PublicationID
    let rank: Int

    static func < (left: Self, right: Self) -> Bool {
      left.id.epoch == right.id.epoch ? left.id.version < right.id.version : left.rank < right.rank
    }
  }

  /// The mirrors of a world, and what is true about what they show.
  struct SimulatedMirrors {
    /// What a mirror has shown last.
    struct Shown {
      let id: EntryID
      let server: SimulatedServer
      let order: DataOrder?
      /// That of the newest data that it has read, if it can't be decoded.
      let read: DataOrder?
      /// The process that has published the entry.
      let epoch: UInt64?
      let time: Duration
    }

    /// Where mirrors may connect to; each of them reads from one of these.
    var addresses: [[SimulatedAddress]] = []
    var all: [SimulatedMirror] = []
    /// The servers that relays write to.
    var relays: Set<SimulatedServer> = []
    /// The order in which the main server has taken all data.
    var orders: [String: [PublicationID: DataOrder]] = [:]
    /// The data of the entries of the main server.
    var written: [String: [EntryID: PublicationID]] = [:]
    /// That of servers with relays.
    var relayed: [SimulatedServer: [EntryID: PublicationID]] = [:]
    var shown: [Int: Shown] = [:]
    /// The last data of each process that was shown.
    var epochs: [Int: [UInt64: DataOrder]] = [:]
  }

  extension SimulatedServer: Hashable {
    static func == (left: SimulatedServer, right: SimulatedServer) -> Bool { left === right }

    func hash(into hasher: inout Hasher) { hasher.combine(name) }
  }

  /// What there is.
  extension Simulation {
    /// Decides on servers and addresses for mirrors.
    func makeMirrors() {
      let main = address("main", [server])
      switch chance.number(1...9) {
      case 1...3: mirrors.addresses = [[main]]
      case 4, 5:
        for name in ["replica 1", "replica 2"] {
          let replica = SimulatedServer(world, name)
          replica.keys = server.keys
          server.add(replica, lag: .milliseconds(chance.pick([0, 1, 50, 1_000])))
          replicas.append(replica)
        }
        let each = replicas.map { address($0.name, [$0]) }
        mirrors.addresses = [[main], each, [main, each[0]], [address("balanced", replicas)]]
      default:
        let others = ["east", "west"].map { SimulatedServer(world, $0) }
        for other in others { addServer(other) }
        let each = others.map { address($0.name, [$0]) }
        mirrors.addresses = [each, each.reversed(), [each[0]], [main, each[0]], [each[0], main]]
      }
      for other in writable.dropFirst() { startRelay(to: other) }
      for _ in 0..<chance.number(1...4) { startMirror() }
    }

    private func address(_ name: String, _ servers: [SimulatedServer]) -> SimulatedAddress {
      SimulatedAddress(name, servers, timeout: timeout)
    }

    private func makeProcess(_ server: SimulatedServer) -> SimulatedProcess {
      let process = SimulatedProcess(world, "process \(processes.count)", server, timeout: timeout)
      processes.append(process)
      return process
    }

    func startMirror(atMost most: Int = 5) {
      if mirrors.all.count(where: isLiving) >= most { return }
      let process: SimulatedProcess
      if let found = processes.last(where: { !$0.isDead }), chance.percent(40) {
        process = found
      } else {
        process = makeProcess(server)
      }
      let pacing: Duration? = chance.percent(25) ? .milliseconds(chance.pick([300, 2_000])) : nil
      start(
        from: chance.pick(mirrors.addresses), chance.pick(mirrors.relays.isEmpty ? server.keys : ["a"]), pacing,
        in: process)
    }

    private func isLiving(_ mirror: SimulatedMirror) -> Bool { !mirror.isCancelled && !mirror.process.isDead }

    private func start(
      from addresses: [SimulatedAddress], _ key: String, _ pacing: Duration?, in process: SimulatedProcess,
      to publisher: SimulatedPublisher? = nil
    ) {
      let number = mirrors.all.count
      let mirror = SimulatedMirror(
        process, "mirror \(number) of \(addresses.map { "\($0.endpoint)" })", key: key, from: addresses, pacing: pacing,
        to: publisher)
      mirror.noteShown = { [unowned self] in noteShown($1, by: $0, number) }
      mirrors.all.append(mirror)
      process.run { mirror.start() }
    }

    /// Starts a process that passes on what the main server has.
    func startRelay(to server: SimulatedServer) {
      let process = makeProcess(server)
      let publisher = SimulatedPublisher(epoch: UInt64(1_000 + processes.count), isRelay: true)
      let outlet = SimulatedOutlet(
        world, process, "relay \(outlets.count)", key: "a", of: publisher, standby: nil, maxLength: maxLength,
        endpoint: address(server.name, []).endpoint)
      outlets.append(outlet)
      mirrors.relays.insert(server)
      start(from: [address("main", [self.server])], "a", nil, in: process, to: publisher)
      process.run { outlet.start() }
    }

    func startMissingRelays() {
      for server in writable.dropFirst() where livingOutlets(of: "a", at: server).allSatisfy({ $0.cancelled != nil }) {
        startRelay(to: server)
      }
    }

    func harmMirrors(for time: Duration) {
      switch chance.number(0...4) {
      case 0, 1: startMirror()
      case 2:
        let mirror = chance.pick(mirrors.all)
        if !mirror.isRelay { mirror.cancel() }
      case 3: if let server = writable.dropFirst().first { startRelay(to: server) } else { startMirror() }
      default:
        guard !replicas.isEmpty else { return startMissingRelays() }
        chance.pick(replicas).crash(.nothing, for: time)
      }
    }
  }

  /// The oracle.
  extension Simulation {
    /// Notes which data an entry brings.
    func notePublication(of key: String, _ id: EntryID, at server: SimulatedServer) {
      if replicas.contains(server) { return }
      guard
        let outlet = outlets.first(where: {
          $0.key == key && $0.process.server === server && $0.machine.token == id.epoch
        }),
        let state = outlet.publisher.states[id.version]
      else { return }
      if outlet.publisher.isRelay {
        if state.state.phase == .loaded { mirrors.relayed[server, default: [:]][id] = state.id }
      } else {
        // The data before that of a state that can't be encoded may not have been written itself.
        let former = outlet.substituted[id.version].flatMap { EntryID($0.prefix { $0 != 32 }) }
        let publication = former.map { PublicationID(epoch: $0.epoch, version: $0.version) } ?? state.id
        mirrors.written[key, default: [:]][id] = publication
        if mirrors.orders[key]?[publication] == nil {
          let rank = mirrors.orders[key]?.count ?? 0
          mirrors.orders[key, default: [:]][publication] = DataOrder(id: publication, rank: rank)
        }
      }
    }

    private func order(of value: String?, _ key: String) -> DataOrder? {
      guard let value, let id = EntryID(Array(value.utf8)[...]) else { return nil }
      return mirrors.orders[key]?[PublicationID(epoch: id.epoch, version: id.version)]
    }

    /// Checks what a mirror shows.
    private func noteShown(_ entry: StreamEntry, by mirror: SimulatedMirror, _ number: Int) {
      let (address, last) = (mirror.address, mirrors.shown[number])
      let server = address.servers[0]
      let value = mirror.shown.state.value
      let order = order(of: value, mirror.key)
      if let value, order == nil { world.violate("8.01: \(mirror.name) shows \(value), which no outlet has written") }
      let epoch = value.flatMap { EntryID(Array($0.utf8)[...]) }?.epoch ?? 0
      defer {
        mirrors.shown[number] = .init(
          id: entry.id, server: server, order: order ?? last?.order,
          read: entry.publication.flatMap { mirrors.orders[mirror.key]?[$0] }, epoch: entry.publication?.epoch,
          time: world.time)
        if entry.isLoaded { mirrors.epochs[number, default: [:]][epoch] = order }
      }
      guard let former = last?.order else { return }
      guard let order else { return world.violate("8.08: \(mirror.name) shows no data after \(former)") }
      // Another server's data of a process that has published more than the mirror has seen of it may be new or old: it
      // is shown after a while. And a relay that finds an older copy looks like one whose process has taken the key over
      // again, until the outlet restores what is missing.
      let isOfOtherServer = mirror.addresses.count > 1 || !mirrors.relays.isEmpty
      let isUnknown = isOfOtherServer && (mirrors.epochs[number]?[epoch] ?? order) <= order
      // Where the outlets write, their numbers decide: one that was cut off may have written later with a smaller one.
      let isDirect = server === self.server && last?.server === server
      let isOlder = isDirect ? entry.id <= last?.id ?? .zero : order < former && !isUnknown
      if isOlder { world.violate("8.08: \(mirror.name) shows \(entry.id), data \(order), after data \(former)") }
      // While a relay is behind, its data is shown only if it stays behind, and then the newest of it.
      let isInOrder = entry.publication?.epoch == last?.epoch || isDirect
      if entry.isLoaded, isInOrder { checkSkipped(before: entry, by: mirror, order, from: last, at: address) }
    }

    /// 8.06: a mirror skips only what the stream doesn't hold any more.
    private func checkSkipped(
      before entry: StreamEntry, by mirror: SimulatedMirror, _ order: DataOrder, from last: SimulatedMirrors.Shown?,
      at address: SimulatedAddress
    ) {
      let server = address.servers[0]
      guard mirror.pacing == nil, address.servers.count == 1, !isSlow, let last,
        let former = [last.order, last.read].compactMap({ $0 }).max(),
        (server.lastLoss ?? .zero) <= last.time
      else { return }
      let held = server.held(mirror.key, after: last.server === server ? last.id : .zero)
      for id in held where id < entry.id {
        let data = mirrors.relays.contains(server) ? mirrors.relayed[server]?[id] : mirrors.written[mirror.key]?[id]
        let other = data.flatMap { mirrors.orders[mirror.key]?[$0] }
        guard let other, other > former, other < order else { continue }
        world.violate("8.06: \(mirror.name) skips \(id) before \(entry.id), and \(server.name) holds it")
      }
    }

    /// 8.07: a dead connection is noticed.
    ///
    /// The server may have answered over it after something was lost.
    func expectNoticeByMirrors(of link: SimulatedLink, in process: SimulatedProcess, _ pauses: Int) {
      let rest = link.lastArrival + timeout * 2 + .milliseconds(200) - world.time
      if rest <= .zero {
        let fooled = process.mirrors.filter { $0.machine.isConnected && $0.reads(over: link) }
        if !fooled.isEmpty { world.violate("8.07: \(fooled.map(\.name)) don't notice a dead connection") }
        return
      }
      world.after(rest) { [self] in
        guard link.failure == nil, process.pauses == pauses, !process.isPaused, !process.isDead else { return }
        expectNoticeByMirrors(of: link, in: process, pauses)
      }
    }

    /// 8.03: while nothing bad happens, mirrors show each state soon, also those that have just begun; and connections
    /// that are lost while little is written don't slow them down.
    func watchMirrors() {
      for second in [10, 13, 16] { world.after(.seconds(second)) { [self] in startMirror(atMost: 8) } }
      for second in 10..<20 { world.after(.milliseconds(second * 1_000 + 900)) { [self] in checkLag() } }
      world.after(.milliseconds(39_900)) { [self] in
        let readers = processes.filter { !$0.isDead }.flatMap(\.readers)
        let before = readers.map(\.batchCount)
        for second in 0..<10 {
          world.after(.milliseconds(second * 1_000 + 100)) { [self] in
            for process in processes { publish(1, in: process) }
          }
          world.after(.milliseconds(second * 1_000 + 600)) {
            for reader in readers { reader.openLinks.forEach { $0.cut() } }
          }
        }
        world.after(.seconds(12)) { [self] in
          let isSmaller = zip(readers, before).contains { $0.batchCount < $1 }
          if isSmaller, !isSlow { world.violate("8.03: lost connections make the batches smaller") }
        }
      }
    }

    private func checkLag() {
      for mirror in mirrors.all where isLiving(mirror) && mirror.machine.isConnected && mirror.pacing == nil {
        if mirror.process.isPaused { continue }
        guard !isSlow, mirror.addresses.allSatisfy({ $0.servers.count == 1 && $0.servers[0] === server }),
          let writer = livingOutlets(of: mirror.key, at: server).first(where: \.machine.isWriting),
          writer.machine.unconfirmedCount == 0, writer.pendingCount == 0,
          (server.taken[mirror.key]?.lazy.map(\.epoch).max() ?? 0) == writer.machine.token
        else { continue }
        let newest = "\(writer.publisher.epoch)-\(writer.publisher.version)"
        guard case .loaded(newest) = mirror.shown.state else {
          world.violate("8.03: \(mirror.name) still shows \(mirror.shown.state), and \(newest) is written")
          continue
        }
      }
    }

    /// 8.01: all mirrors are at the newest state.
    func checkMirrors() {
      for mirror in mirrors.all where isLiving(mirror) {
        guard let writer = livingOutlets(of: mirror.key, at: server).first(where: \.machine.isWriting) else { continue }
        // An outlet that was superseded while it was cut off may find that everything about that is lost, and go on.
        // Mirrors that have seen the other one take its entries for an older copy.
        let greatest = server.taken[mirror.key]?.lazy.map(\.epoch).max() ?? 0
        if greatest > writer.machine.token ?? 0 { continue }
        // One that takes too long on its way is left out.
        if isSlow, writer.publisher.isLarge(writer.publisher.version) { continue }
        let newest = "\(writer.publisher.epoch)-\(writer.publisher.version)"
        guard case .loaded(newest) = mirror.shown.state, mirror.machine.isConnected else {
          world.violate("8.01: \(mirror.name) ends at \(mirror.shown.state) and not at \(newest)")
          continue
        }
      }
    }
  }
#endif
