#if Redis && (DEBUG || TESTABLE)
  import SubPub
  @testable import SubPubRedis

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
