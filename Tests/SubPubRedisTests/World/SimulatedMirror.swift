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
      var request: StreamRequest?
      for event in events { request = followers[follower]?.mirror.receive(event, as: follower) ?? request }
      if let request { change { [world] in $0.receive(request, of: follower, at: world.now) } }
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
          link.add(1) { [weak self, weak link] result in
            if let link { self?.received(result, link, over: number) }
          }
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
      let (isClosed, isTooSlow) = (link.isClosed, link.machine.late?.isTooSlow ?? false)
      change { $0.lost(reason, isClosed: isClosed, isTooSlow: isTooSlow, over: number, at: world.now) }
    }
  }

  /// A mirror: does what `RedisMirror` does, in virtual time; run again after each error.
  final class SimulatedMirror {
    private let coder = SimulatedPublisher(epoch: 0).coder()
    let name: String
    let key: String
    let addresses: [SimulatedAddress]
    let pacing: Duration?
    private unowned let world: World
    let process: SimulatedProcess
    private(set) var machine: MirrorMachine
    /// What it shows, and passes on if it is a relay.
    private(set) var shown = EntryState<String>()
    private let relayed: SimulatedPublisher?
    var isRelay: Bool { relayed != nil }
    private var follower: Int?
    private var reader: SimulatedReader?
    private(set) var isCancelled = false
    /// Told of each entry that is shown.
    var noteShown: (SimulatedMirror, StreamEntry) -> Void = { _, _ in }

    init(
      _ process: SimulatedProcess, _ name: String, key: String, from addresses: [SimulatedAddress], pacing: Duration?,
      to relayed: SimulatedPublisher?
    ) {
      (self.process, world, self.name, self.key) = (process, process.world, name, key)
      (self.addresses, self.pacing, self.relayed) = (addresses, pacing, relayed)
      machine = MirrorMachine(.init(key: key, endpoints: addresses.map(\.endpoint), pacing: pacing))
      process.mirrors.append(self)
    }

    func reads(over link: SimulatedLink) -> Bool { reader?.openLinks.contains { $0 === link } ?? false }

    /// What it reads from.
    var address: SimulatedAddress { reader?.address ?? addresses[0] }

    func start() {
      guard let step = machine.start(at: world.now) else { return world.violate("\(name) runs already") }
      world.note("\(name) starts")
      relayed?.set(.loading(previous: shown.state.value), origin: shown.origin, since: shown.since)
      take(step)
    }

    private func take(_ step: MirrorMachine.Step) {
      switch step {
      case .follow(let endpoint, let position):
        process.lastChannel += 1
        guard let address = addresses.first(where: { $0.endpoint == endpoint }) else {
          // A node that doesn't exist any more.
          follower = process.lastChannel
          return world.after(.milliseconds(1)) { [self, number = process.lastChannel] in
            process.run { [self] in ended(.unreachable("no node"), as: number) }
          }
        }
        (follower, reader) = (process.lastChannel, process.reader(of: address))
        reader?.add(process.lastChannel, of: self, key, position, pacing)
      case .rest(let failures, _):
        let delay = min(.seconds(5), Duration.milliseconds(100) * (1 << min(failures - 1, 6)))
        world.after(delay) { [self] in
          process.run { [self] in if !isCancelled { take(machine.follow(at: world.now)) } }
        }
      case .fail(let error):
        world.note("\(name) fails: \(error.reason)")
        _ = machine.stop()
        world.after(.seconds(1)) { [self] in process.run { [self] in if !isCancelled { start() } } }
      }
    }

    func ended(_ reason: RedisError.Reason, as follower: Int) {
      guard follower == self.follower, !isCancelled else { return }
      self.follower = nil
      let loss = machine.lost(reason, at: world.now)
      world.note("\(name) is lost: \(reason)")
      if let error = loss.error { publish(shown.failed(error)) }
      take(loss.next)
    }

    func cancel() {
      guard !isCancelled else { return }
      world.note("\(name) is cancelled")
      isCancelled = true
      if let follower { reader?.remove(follower) }
      _ = machine.stop()
      process.mirrors.removeAll { $0 === self }
    }

    func receive(_ event: StreamEvent, as follower: Int) -> StreamRequest? {
      guard follower == self.follower else { return nil }
      let result = machine.received(event, at: world.now, wallClock: 0)
      switch result.showing {
      case .entry(let entry, let hasData, let lag): show(entry, hasData: hasData, lag: lag)
      case .last: publish(shown)
      case .nothing:
        if shown.state.value != nil { world.violate("8.08: \(name) shows nothing after data") }
        relayed?.set(.unknown, id: .nothing)
      case nil: break
      }
      return result.request
    }

    private func show(_ entry: StreamEntry, hasData: Bool, lag: Duration?) {
      let isDecoded: Bool
      let former = shown
      do {
        let decoded = EntryState(try entry.state(by: coder), of: entry)
        shown = hasData ? decoded : decoded.withData(of: former)
        isDecoded = true
      } catch {
        shown = former.failed(RedisError(endpoint: addresses[0].endpoint, key: key, reason: error))
        isDecoded = false
      }
      _ = machine.note(entry, isDecoded: isDecoded, hasData: hasData, lag: lag)
      noteShown(self, entry)
      publish(shown)
    }

    private func publish(_ state: EntryState<String>) {
      world.note("\(name) shows \(state.state)")
      relayed?.set(
        state.state, origin: state.origin, since: state.since, id: state.id, isDataInherited: state.isDataInherited)
    }
  }
#endif
