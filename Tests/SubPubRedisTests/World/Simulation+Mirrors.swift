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
      /// When its data was new, by the clock of who has published that.
      let since: Int64?
      let time: Duration
    }

    /// Where mirrors may connect to; each of them reads from one of these.
    var addresses: [[SimulatedAddress]] = []
    var all: [SimulatedMirror] = []
    /// The servers that relays write to.
    var relays: Set<SimulatedServer> = []
    /// The order in which the main server has taken all data.
    var orders: [String: [PublicationID: DataOrder]] = [:]
    /// The outlet that has written last.
    var tokens: [String: UInt64] = [:]
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

    func isLiving(_ mirror: SimulatedMirror) -> Bool { !mirror.isCancelled && !mirror.process.isDead }

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
#endif
