#if Redis && (DEBUG || TESTABLE)
  import SubPub
  @testable import SubPubRedis

  /// One run of an outlet: does what `OutletDriver` and `OutletRun` do, in virtual time.
  final class SimulatedOutlet {
    unowned let world: World
    let process: SimulatedProcess
    let name: String
    let key: String
    let publisher: SimulatedPublisher
    private(set) var machine: OutletMachine
    let settings: OutletMachine.Settings
    private(set) lazy var witness = OutletWitness(self)
    /// Whether it looks for the server at a node that doesn't work.
    private(set) var isAway = false
    /// Whether its publisher's states are for it.
    var takesStates: Bool { buffer != nil && end == nil }
    let isStandby: Bool
    private var connection: (link: SimulatedLink, number: Int)?
    private var connections = 0
    /// The versions that the publisher has for it; nil while it takes none.
    private var buffer: [UInt64]? {
      didSet {
        let count = buffer?.count { $0 > 0 } ?? 0
        pending.withLock { $0 = count }
      }
    }
    private let pending = Locked(0)
    private let room: Int
    private(set) var firstVersion: UInt64 = 0
    var pendingCount: Int { pending.withLock { $0 } }
    private(set) var skipped = 0
    private(set) var accepted = 0
    private var lastEncoded: UInt64 = 0
    /// The data that is written in place of what can't be encoded.
    private(set) var substituted: [UInt64: [UInt8]] = [:]
    /// The version that the stream has to end with: what was before the absence of a state may be skipped.
    var lastVersion: UInt64 {
      publisher.states[publisher.version]?.state.phase == .unknown ? lastEncoded : publisher.version
    }
    private enum Writer { case begins, takes, waits, encodes, over }
    private var writer = Writer.begins
    private(set) var end: (error: (any Error)?, at: Duration)?
    private(set) var cancelled: (at: Duration, version: UInt64, count: Int)?
    private var isActing = false
    private var wake: Moment?
    private let encodingTime: Duration
    private var encoder: EntryEncoder<String>

    init(
      _ world: World, _ process: SimulatedProcess, _ name: String, key: String, of publisher: SimulatedPublisher,
      standby: Duration?, maxLength: Int, endpoint: RedisEndpoint
    ) {
      (self.world, self.process, self.name, self.key) = (world, process, name, key)
      (self.publisher, isStandby) = (publisher, standby != nil)
      settings = OutletMachine.Settings(key: key, endpoint: endpoint, maxLength: maxLength)
      machine = OutletMachine(settings, lease: standby.map { OutletLease(time: $0, holder: name) })
      machine.demand.pending = { [pending] in pending.withLock { $0 } }
      room = maxLength
      encoder = EntryEncoder(publisher.coder(), endpoint, key: key)
      encodingTime = world.chance.percent(20) ? .milliseconds(world.chance.number(1...20)) : .zero
      publisher.outlets.append(self)
      process.outlets.append(self)
    }

    /// When it has begun to write, and whether it has waited for nobody.
    private(set) var began: (time: Duration, isAtOnce: Bool)?
    private var taking: Duration = .zero

    func start() {
      taking = world.time
      world.note("\(name) starts")
      if !isStandby { subscribe() }
      change { $0.start() }
      write()
    }

    private func subscribe() {
      firstVersion = publisher.version
      buffer = [publisher.version]
      // What a publisher has before its first state counts nowhere.
      accepted = publisher.version == 0 ? 0 : 1
    }

    /// Changes the machine, unless its process is paused: then later.
    private func change(_ body: @escaping (inout OutletMachine) -> Void) {
      process.run { [self] in
        body(&machine)
        act()
      }
    }

    private func act() {
      if isActing { return }
      isActing = true
      var actions = machine.takeActions()
      while !actions.isEmpty {
        for action in actions { act(action) }
        actions = machine.takeActions()
      }
      isActing = false
      witness.looks()
      setTimer()
    }

    private func setTimer() {
      guard let next = machine.nextTime, next != wake else { return }
      wake = next
      world.at(next) { [weak self] in
        guard let self, wake == next else { return }
        wake = nil
        change { [world] in $0.timeHasCome(at: world.now) }
      }
    }

    private func act(_ action: OutletMachine.Action) {
      switch action {
      case .connect(let node):
        if let node { isAway = node != settings.endpoint }
        process.join(self)
      case .leave:
        if let (link, number) = connection { link.remove(number) }
        connection = nil
      case .send(let bytes, let replies):
        guard let (link, number) = connection else { return world.violate("\(name) sends without a connection") }
        world.note("\(name) asks \(link.server.name): \(World.words(bytes))")
        witness.sends()
        if let failure = link.send(bytes, replies: replies, from: number) { lost(failure, link, over: number) }
      case .subscribe:
        subscribe()
        world.after(.zero) { [self] in process.run { self.write() } }
      case .proceed: world.after(.zero) { [self] in process.run { self.proceed() } }
      case .tell(let event):
        world.note("\(name): \(event), token \(machine.token ?? 0)")
        if event == .writes, began == nil { began = (world.time, world.time < taking + .seconds(3)) }
        witness.tells(event)
      case .rest(let reason, let isLoss): world.after(.zero) { [self] in process.run { self.rest(reason, isLoss) } }
      case .end(let error):
        world.note("\(name) has ended: \(error.map { "\($0)" } ?? "without an error")")
        if end != nil { world.violate("\(name) ends twice") }
        witness.ends(with: error)
        end = (error, world.time)
        publisher.outlets.removeAll { $0 === self }
        process.leave(self)
      }
    }

    private func rest(_ reason: RedisError.Reason, _ isLoss: Bool) {
      if machine.isOver { return }
      world.note("\(name) rests: \(reason)")
      if isLoss { return change { $0.retry() } }
      let time = world.time
      let (count, isHopeless) = machine.noteFailure(reason, at: time)
      witness.rests(reason, isHopeless: isHopeless)
      if !reason.isPassing || isHopeless {
        let error = RedisError(endpoint: settings.endpoint, key: key, reason: reason)
        return change { $0.end(error) }
      }
      let delay = min(.seconds(5), Duration.milliseconds(100) * (1 << min(count - 1, 6)))
      world.after(delay) { [self] in change { $0.retry() } }
    }

    // MARK: The connection

    func connected(_ result: Result<SimulatedLink, RedisError.Reason>) {
      switch result {
      case .success(let link):
        process.lastChannel += 1
        let number = process.lastChannel
        connection = (link, number)
        link.add(number) { [weak self] in self?.received($0, $1, over: number) }
        change { [world, process] in $0.connected(number, start: process.server.start, at: world.now) }
      case .failure(let reason): change { $0.cannotConnect(reason) }
      }
    }

    private func received(
      _ result: Result<[RedisReply], RedisError.Reason>, _ link: SimulatedLink, over number: Int
    ) {
      switch result {
      case .success(let replies): change { [world] in $0.received(replies, over: number, at: world.now) }
      case .failure(let reason): lost(reason, link, over: number)
      }
    }

    func looked(_ look: OutletLook, _ replies: ArraySlice<RedisReply>) {
      change { [world] in $0.looked(look, replies, at: world.now) }
    }

    private func lost(_ reason: RedisError.Reason, _ link: SimulatedLink, over number: Int) {
      let isLate = link.late == number
      let isTooSlow = isLate && link.machine.isTooSlow
      change {
        $0.lost(reason, isClosed: link.isClosed, isLate: isLate, isTooSlow: isTooSlow, over: number)
      }
    }

    // MARK: Writing

    func published(_ version: UInt64) {
      guard buffer != nil, end == nil else { return }
      buffer?.append(version)
      accepted += 1
      while (buffer?.count ?? 0) > room {
        if buffer?.removeFirst() != 0 { (skipped, accepted) = (skipped + 1, accepted - 1) }
      }
      process.run { [self] in write() }
    }

    private func proceed() {
      guard writer == .waits || writer == .begins else { return }
      writer = .takes
      write()
    }

    /// Takes states as long as there are some, and room for them.
    private func write() {
      if writer == .begins {
        guard buffer != nil else { return }
        let mayTake = machine.flush(at: world.now)
        act()
        writer = mayTake ? .takes : .waits
      }
      while writer == .takes, end == nil {
        if machine.hasTakenAll {
          writer = .over
          return change { [world] in $0.noteAllTaken(at: world.now) }
        }
        guard let version = buffer?.first else { return }
        buffer?.removeFirst()
        machine.taken(version, at: world.now)
        witness.notesTaken(version, ofByteCount: publisher.byteCount(of: version))
        if encodingTime > .zero {
          writer = .encodes
          return world.after(encodingTime) { [self] in process.run { self.encoded(version) } }
        }
        append(version)
      }
    }

    private func encoded(_ version: UInt64) {
      guard end == nil else { return }
      writer = .takes
      append(version)
      write()
    }

    private func append(_ version: UInt64) {
      guard let token = machine.token else { return world.violate("\(name) encodes without a number") }
      if let last = machine.inherited.take() { encoder.begin(after: last) }
      let entry = publisher.states[version].flatMap { state in
        encoder.entry(for: state, token: token, at: Int64(process.milliseconds))
      }
      if let entry {
        lastEncoded = version
        if entry.isSubstitute { substituted[version] = entry.before.flatMap(\.bytes) }
      }
      let isEnough = machine.append(entry)
      if !isEnough, buffer?.isEmpty == false, !machine.hasTakenAll { return }
      let mayTake = machine.flush(at: world.now)
      act()
      if !mayTake, writer == .takes, !machine.hasTakenAll { writer = .waits }
    }

    func cancel() {
      guard cancelled == nil, end == nil else { return }
      let (version, count) = (publisher.version, publisher.version == 0 ? 0 : accepted)
      world.note("\(name) is cancelled, up to \(version), \(count) states")
      cancelled = (world.time, version, count)
      witness.isCancelled()
      change { $0.cancel(upTo: version, count: count) }
      if machine.hasTakenAll, writer != .encodes {
        writer = .over
        change { [world] in $0.noteAllTaken(at: world.now) }
      }
      world.after(settings.endpoint.replyTimeout) { [self] in change { $0.giveUp() } }
    }

    /// How many states are confirmed or skipped.
    var finished: Int { machine.finishedCount + skipped }
  }
#endif
