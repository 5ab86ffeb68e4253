#if Redis && (DEBUG || TESTABLE)
  import SubPub
  @testable import SubPubRedis

  /// A process: its outlets share a connection, which takes their looks as `SharedConnection` does.
  final class SimulatedProcess {
    unowned let world: World
    let name: String
    let server: SimulatedServer
    var outlets: [SimulatedOutlet] = []
    var mirrors: [SimulatedMirror] = []
    private(set) var readers: [SimulatedReader] = []
    private(set) var link: SimulatedLink?
    private var looks = OutletLooks<SimulatedOutlet>()
    private var waiting: [SimulatedOutlet] = []
    private var isConnecting = false
    private var lastLink = 0
    var lastChannel = 0
    private(set) var isPaused = false
    private(set) var isDead = false
    /// How often it was paused.
    private(set) var pauses = 0
    private var backlog: [() -> Void] = []
    private var receipts: [() -> Void] = []
    private let timeout: Duration
    /// What its clock is wrong by.
    var clockError = Duration.zero
    var milliseconds: UInt64 { UInt64(Int64(server.milliseconds) + Int64(clockError / .milliseconds(1))) }
    /// What happens to connections that are made now.
    var network = Network.works
    enum Network { case works, refuses, loses }

    init(_ world: World, _ name: String, _ server: SimulatedServer, timeout: Duration) {
      (self.world, self.name, self.server, self.timeout) = (world, name, server, timeout)
    }

    /// Runs something now, or when the process goes on.
    ///
    /// What has arrived meanwhile is received before anything else happens.
    func run(isReceipt: Bool = false, _ body: @escaping () -> Void) {
      if isDead { return }
      if !isPaused { return body() }
      if isReceipt { receipts.append(body) } else { backlog.append(body) }
    }

    /// The reader of an address, which leads each connection to one of some servers.
    func reader(of address: SimulatedAddress) -> SimulatedReader {
      if let found = readers.first(where: { $0.address === address }) { return found }
      let new = SimulatedReader(self, address, timeout: timeout)
      readers.append(new)
      return new
    }

    /// All connections that can be used.
    var links: [SimulatedLink] {
      ([link].compactMap { $0 } + readers.flatMap(\.openLinks)).filter { $0.failure == nil }
    }

    func join(_ outlet: SimulatedOutlet) {
      if outlet.isAway { return world.after(.milliseconds(1)) { outlet.connected(.failure(.unreachable("no node"))) } }
      if let link, link.failure == nil { return world.after(.zero) { outlet.connected(.success(link)) } }
      waiting.append(outlet)
      // One that has left may have been the first to ask.
      if !isConnecting { connect() }
    }

    private func connect() {
      isConnecting = true
      if network == .loses {
        world.after(timeout) { [self] in answer(.failure(.unreachable("no answer"))) }
        return
      }
      world.after(world.chance.milliseconds(upTo: 100)) { [self] in
        lastLink += 1
        guard network == .works, let link = SimulatedLink(self, number: lastLink, to: server, within: timeout)
        else {
          return answer(.failure(.unreachable("refused")))
        }
        link.act { $0.connected(at: world.now, &$1) }
        // So that outlets take turns also where there are few.
        (self.link, looks) = (link, OutletLooks(reading: world.chance.percent(30) ? 300 : nil))
        lastChannel += 1
        link.add(lastChannel) { [weak self, channel = lastChannel] in self?.looked($0, $1, over: channel) }
        look(over: link, lastChannel)
        answer(.success(link))
      }
    }

    /// Takes the looks of the outlets, again and again while there is the connection.
    private func look(over link: SimulatedLink, _ channel: Int) {
      world.after(OutletLook.interval(replyTimeout: timeout)) { [weak self] in
        self?.run { [weak self] in
          guard let self, link === self.link, link.failure == nil else { return }
          look(over: link, channel)
          guard looks.mayBegin else { return }
          let round = OutletLooks.round(of: outlets, looks.turn) { [world] in
            $0.machine.look(at: world.now, reading: &$1, askingWith: &$2)
          }
          if round.isEmpty { return }
          world.note("\(name) looks: \(World.words(round.bytes))")
          // What ends the connection tells the channel.
          _ = link.send(round.bytes, replies: looks.begin(round), from: channel)
        }
      }
    }

    private func looked(
      _ result: Result<[RedisReply], RedisError.Reason>, _ link: SimulatedLink, over channel: Int
    ) {
      guard link === self.link, case .success(let replies) = result else { return }
      for each in looks.take(replies, at: world.now) { each.user.looked(each.look, each.replies) }
    }

    private func answer(_ result: Result<SimulatedLink, RedisError.Reason>) {
      let all = waiting
      (waiting, isConnecting) = ([], false)
      for outlet in all { outlet.connected(result) }
    }

    func leave(_ outlet: SimulatedOutlet) {
      outlets.removeAll { $0 === outlet }
      waiting.removeAll { $0 === outlet }
      if outlets.isEmpty { link?.end() }
    }

    func pause(for time: Duration) {
      guard !isPaused else { return }
      world.note("\(name) is paused for \(time)")
      isPaused = true
      pauses += 1
      world.after(time) { [self] in
        world.note("\(name) goes on")
        isPaused = false
        // Its thread was busy with something else, or it waited for what arrives.
        if world.chance.percent(50), let link, link.failure == nil { link.wait() }
        let all = receipts + backlog
        (receipts, backlog) = ([], [])
        for body in all { body() }
      }
    }

    /// Lets go of everything when the world is over.
    func dissolve() {
      for outlet in outlets { outlet.publisher.outlets = [] }
      for reader in readers { reader.dissolve() }
      (outlets, mirrors, readers, waiting, receipts, backlog, link) = ([], [], [], [], [], [], nil)
      looks = OutletLooks()
    }

    func kill() {
      world.note("\(name) is killed")
      isDead = true
      for link in links { link.cut() }
      mirrors = []
      for outlet in outlets { outlet.publisher.outlets.removeAll { $0 === outlet } }
      outlets = []
    }
  }
#endif
