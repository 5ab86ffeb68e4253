#if Redis && (DEBUG || TESTABLE)
  import SubPub
  @testable import SubPubRedis

  /// What a mirror connects to, which leads each connection to one of some servers.
  final class SimulatedAddress {
    let endpoint: RedisEndpoint
    let servers: [SimulatedServer]

    init(_ name: String, _ servers: [SimulatedServer], timeout: Duration) {
      var endpoint = RedisEndpoint(host: name)
      endpoint.replyTimeout = timeout
      (self.endpoint, self.servers) = (endpoint, servers)
    }
  }

  /// The reader of a process for one address: does what `StreamReader` does, in virtual time.
  final class SimulatedReader {
    let address: SimulatedAddress
    private unowned let world: World
    private unowned let process: SimulatedProcess
    private let timeout: Duration
    private var machine: ReaderMachine<Int>
    private var links: [Int: SimulatedLink] = [:]
    private var connecting: Set<Int> = []
    private var followers: [Int: (mirror: SimulatedMirror, key: [UInt8])] = [:]
    private var isActing = false
    private var wake: Duration?

    init(_ process: SimulatedProcess, _ address: SimulatedAddress, timeout: Duration) {
      (self.process, world, self.address, self.timeout) = (process, process.world, address, timeout)
      machine = ReaderMachine(replyTimeout: timeout, at: world.now)
    }

    var batchCount: Int { machine[.resting].batch.count }
    var openLinks: [SimulatedLink] { links.sorted { $0.key < $1.key }.map(\.value) }

    func add(
      _ follower: Int, of mirror: SimulatedMirror, _ key: String, _ position: StreamPosition, _ pacing: Duration?
    ) {
      let key = Array(key.utf8)
      followers[follower] = (mirror, key)
      change { [world] in
        $0.change(
          adding: [.init(follower: follower, key: key, pacing: pacing, position: position)], at: world.now)
      }
    }

    func remove(_ follower: Int) {
      guard let key = followers.removeValue(forKey: follower)?.key else { return }
      change { [world] in $0.change(removing: [(follower, key)], at: world.now) }
    }

    /// Lets go of everything when the world is over.
    func dissolve() { (followers, links) = ([:], [:]) }

    private func change(_ body: (inout ReaderMachine<Int>) -> Void) {
      body(&machine)
      if isActing { return }
      isActing = true
      var actions = machine.takeActions()
      while !actions.isEmpty {
        for action in actions { act(action) }
        actions = machine.takeActions()
      }
      isActing = false
      setTimer()
    }

    private func setTimer() {
      guard let next = machine.nextTime else { return }
      let time = world.time + world.now.duration(to: next)
      if let wake, wake > world.time, wake <= time { return }
      wake = time
      world.after(time - world.time) { [self] in
        wake = nil
        process.run { [self] in change { $0.timeHasCome(at: world.now) } }
      }
    }

    private func act(_ action: ReaderMachine<Int>.Action) {
      switch action {
      case .pass(let event, let follower): pass(CollectionOfOne(event), to: follower)
      case .passEntries(let entries, let follower): pass(entries.lazy.map { .entry($0) }, to: follower)
      case .end(let follower, let reason):
        let mirror = followers.removeValue(forKey: follower)?.mirror
        world.after(.zero) { [process] in process.run { mirror?.ended(reason, as: follower) } }
      case .connect(let number): connect(number)
      case .send(let message, let number):
        guard let link = links[number] else { return world.violate("a reader sends without a connection") }
        world.note("\(process.name) asks \(link.server.name) over \(number): \(World.words(message.bytes))")
        if let failure = link.send(message.bytes, replies: message.replyCount, from: 1, within: message.limit) {
          lost(failure, link, over: number)
        }
      case .close(let number):
        connecting.remove(number)
        links.removeValue(forKey: number)?.end()
      }
    }

    private func pass(_ events: some Sequence<StreamEvent>, to follower: Int) {
      let request = events.pass { followers[follower]?.mirror.receive($0, as: follower) }
      if let request, let key = followers[follower]?.key {
        change { [world] in $0.receive(request, of: follower, to: key, at: world.now) }
      }
    }

    private func connect(_ number: Int) {
      connecting.insert(number)
      if process.network == .loses {
        return world.after(timeout) { [self] in process.run { [self] in cannotConnect(number, "no answer") } }
      }
      world.after(world.chance.milliseconds(upTo: 100)) { [self] in
        process.run { [self] in
          guard connecting.contains(number) else { return }
          let server = world.chance.pick(address.servers)
          guard process.network == .works,
            let link = SimulatedLink(process, number: number, to: server, within: timeout)
          else { return cannotConnect(number, "refused") }
          connecting.remove(number)
          links[number] = link
          link.act { $0.connected(at: world.now, &$1) }
          link.add(1) { [weak self] in self?.received($0, $1, over: number) }
          change { $0.connected(number, at: world.now) }
        }
      }
    }

    private func cannotConnect(_ number: Int, _ what: String) {
      if connecting.remove(number) != nil { change { $0.cannotConnect(.unreachable(what), number, at: world.now) } }
    }

    private func received(
      _ result: Result<[RedisReply], RedisError.Reason>, _ link: SimulatedLink, over number: Int
    ) {
      switch result {
      case .success(let replies): change { $0.received(replies, over: number, at: world.now) }
      case .failure(let reason): lost(reason, link, over: number)
      }
    }

    private func lost(_ reason: RedisError.Reason, _ link: SimulatedLink, over number: Int) {
      links[number] = nil
      let (isClosed, isTooSlow) = (link.isClosed, link.machine.isTooSlow)
      change { $0.lost(reason, isClosed: isClosed, isTooSlow: isTooSlow, over: number, at: world.now) }
    }
  }
#endif
