#if Redis && (DEBUG || TESTABLE)
  @testable import SubPubRedis

  /// A world with servers, and processes with outlets and mirrors, to which everything happens that may happen; and an
  /// oracle that knows the truth.
  final class Simulation {
    let world: World
    /// The server of the outlets that aren't relays', and all servers that can be written to, or only be read from.
    let server: SimulatedServer
    var writable: [SimulatedServer] = []
    var replicas: [SimulatedServer] = []
    private(set) var timeout: Duration
    let lease: Duration?
    private(set) var maxLength: Int
    var processes: [SimulatedProcess] = []
    var outlets: [SimulatedOutlet] = []
    /// Whose entry each key has taken last, and when.
    var legal: [String: (epoch: UInt64, time: Duration)] = [:]
    var mirrors = SimulatedMirrors()
    private(set) var isHarmful = true
    /// What was left out of all harms, by their numbers.
    private let leftOut: Set<Int>
    private let seed: UInt64
    /// Decides on what the harms and the publishers do.
    var chance: Chance
    /// How many bytes some states have, and how rare they are.
    private var large: (byteCount: Int, distance: UInt64) = (1, 16)
    /// Whether some states take longer on their way than a reply may.
    private(set) var isSlow = false
    private(set) var harms: [Int] = []

    init(seed: UInt64, without leftOut: Set<Int> = [], isRecorded: Bool = false) {
      world = World(seed: seed, isRecorded: isRecorded)
      (self.seed, self.leftOut, chance) = (seed, leftOut, Chance(seed: seed ^ 0x5EED))
      server = SimulatedServer(world)
      timeout = .milliseconds(chance.pick([400, 1_000, 2_000]))
      lease = chance.percent(40) ? .seconds(chance.pick([1, 2, 5])) : nil
      maxLength = chance.pick([1, 2, 10, 100, 2_000])
      server.keys = chance.percent(50) ? ["a"] : ["a", "b"]
      if chance.percent(50) { server.forbidSettingIDs() }
      addServer(server)
      server.noteHolder = { [unowned self] in noteHolder($0, $1) }
      let hasMirrors = chance.percent(60)
      // Mirrors ask more often the shorter it is.
      if hasMirrors { timeout = max(timeout, .seconds(1)) }
      world.note("time-out \(timeout), lease \(lease.map { "\($0)" } ?? "none"), at most \(maxLength) states")
      if hasMirrors {
        switch chance.number(0...9) {
        case 0: server.outputLimit = 4_000
        case 1: (server.clientRate, large) = (2, (7_000, 16))
        default: break
        }
        isSlow = server.clientRate != nil
        // What waits for a mirror of two streams is read in a minute.
        if isSlow { maxLength = min(maxLength, 30) }
        makeMirrors()
      } else if chance.percent(20) {
        // What is still on its way is taken otherwise, as if it were held back.
        server.rate = chance.percent(60) && server.maySetIDs ? chance.pick([100, 1_000]) : nil
        large = (chance.pick([5_000, 70_000, 300_000]), server.rate == 100 ? 200 : 16)
      } else if chance.percent(3) {
        (large, server.largestValue) = ((1_200_000, 200), chance.pick([1_100_000, .max]))
      }
    }

    func addServer(_ new: SimulatedServer) {
      (new.keys, writable) = (server.keys, writable + [new])
      new.noteTaken = { [unowned self, unowned new] in noteTaken($0, $1, at: new) }
    }

    /// Lets a world go on for a minute, and then without harms.
    func run() {
      for _ in 0..<chance.number(1...2) { for key in server.keys { startOutlet(of: key) } }
      step(1)
      world.run(until: .seconds(60))
      isHarmful = false
      world.note("nothing bad happens any more")
      for server in writable {
        server.accept()
        server.removeReplacements()
      }
      for process in processes { process.network = .works }
      for key in server.keys where livingOutlets(of: key, at: server).isEmpty { startOutlet(of: key) }
      startMissingRelays()
      // Those that were superseded, by one that is gone, may not know it yet.
      world.after(.seconds(20)) { [self] in startMissingRelays() }
      for second in 0..<60 where second < 20 || second.isMultiple(of: 10) {
        world.after(.seconds(second)) { [self] in for process in processes { publish(1, in: process) } }
      }
      if !mirrors.all.isEmpty { watchMirrors() }
      // A pause, a lease, and two doubts may follow each other.
      world.run(until: .seconds(160))
      if world.violations.isEmpty { checkEnd() }
      if world.violations.isEmpty { checkMirrors() }
      if world.violations.isEmpty, mirrors.all.isEmpty { rest() }
      for process in processes { process.dissolve() }
      for server in writable + replicas { server.dissolve() }
      world.end()
    }

    /// Returns the numbers of the harms that can be left out of a world in which something goes wrong.
    static func needlessHarms(ofSeed seed: UInt64) -> Set<Int> {
      let first = Simulation(seed: seed)
      first.run()
      var leftOut: Set<Int> = []
      for number in first.harms.reversed() {
        let shorter = Simulation(seed: seed, without: leftOut.union([number]))
        shorter.run()
        if !shorter.world.violations.isEmpty { leftOut.insert(number) }
      }
      return leftOut
    }

    // MARK: What happens

    /// Each step has a chance of its own, so that one that is left out changes nothing about the others.
    private func step(_ number: Int) {
      guard isHarmful else { return }
      chance = Chance(seed: seed &* 1_000_003 &+ UInt64(number))
      world.after(chance.milliseconds(upTo: 1_000)) { [self] in
        guard isHarmful else { return }
        chance = Chance(seed: seed &* 1_000_033 &+ UInt64(number))
        if chance.percent(85) {
          publish(
            chance.percent(90) ? chance.number(1...3) : chance.number(mirrors.all.isEmpty ? 10...600 : 10...80),
            in: chance.pick(processes))
        } else if !leftOut.contains(number) {
          harms.append(number)
          harm()
        }
        step(number + 1)
      }
    }

    func publish(_ count: Int, in process: SimulatedProcess) {
      process.run {
        for outlet in process.outlets where !outlet.publisher.isRelay {
          for _ in 0..<count {
            let isDamaged = self.isHarmful && self.world.chance.percent(2)
            outlet.publisher.publish(
              at: process.milliseconds,
              damage: isDamaged ? self.world.chance.pick(["unencodable", "unreadable"]) : "")
          }
        }
      }
    }

    func startOutlet(of key: String, inNew isNew: Bool = false) {
      let former = outlets.last { $0.key == key && $0.end != nil && !$0.process.isDead && !$0.publisher.isRelay }
      let process: SimulatedProcess
      var publisher = SimulatedPublisher(epoch: UInt64(outlets.count + 1), large: large)
      if let former, !isNew, chance.percent(20) {
        (process, publisher) = (former.process, former.publisher)
      } else if let found = processes.last(where: { !$0.isDead && $0.server === server }), !isNew, chance.percent(30) {
        process = found
      } else {
        process = SimulatedProcess(world, "process \(processes.count)", server, timeout: timeout)
        processes.append(process)
      }
      var endpoint = RedisEndpoint(host: "server")
      endpoint.replyTimeout = timeout
      let outlet = SimulatedOutlet(
        world, process, "outlet \(outlets.count)", key: key,
        of: publisher, standby: lease, maxLength: maxLength, endpoint: endpoint)
      if chance.percent(70) { publisher.publish(at: process.milliseconds) }
      outlets.append(outlet)
      process.run { outlet.start() }
    }

    func isLiving(_ outlet: SimulatedOutlet) -> Bool { outlet.end == nil && !outlet.process.isDead }

    func livingOutlets(of key: String, at server: SimulatedServer) -> [SimulatedOutlet] {
      outlets.filter { $0.key == key && $0.process.server === server && isLiving($0) }
    }

    private func harm() {
      let process = chance.pick(processes)
      let time = chance.milliseconds(upTo: 8_000)
      if chance.percent(20) { return rareHarm(to: process, for: time) }
      let server = chance.pick(writable)
      switch chance.number(0...(mirrors.all.isEmpty ? 20 : 23)) {
      case 0: server.crash(chance.pick(SimulatedServer.Loss.allCases), for: time)
      case 1: server.takeSnapshot()
      case 2: server.killClients()
      case 3: server.remove(chance.pick([["a"], ["a:epoch"], ["a", "a:epoch"], ["a:lease"]]))
      case 4, 5: server.restore("a", withCounter: chance.percent(50))
      case 6: server.removeLastEntry(of: "a")
      case 7: refuse(at: server, for: time)
      case 8: if !process.links.isEmpty { chance.pick(process.links).cut() }
      case 9:
        guard !process.links.isEmpty else { return }
        let link = chance.pick(process.links)
        let ways = chance.pick([(true, true), (true, false), (false, true)])
        link.die(toServer: ways.0, toClient: ways.1)
        expectNotice(of: link, in: process)
      case 10:
        // Otherwise, what was held back is taken if the next outlet has nothing to write.
        guard !process.links.isEmpty else { return }
        let link = chance.pick(process.links)
        if link !== process.link || server.maySetIDs { link.hold(for: time) }
      case 11: process.pause(for: time)
      case 12: if processes.count > 1 { process.kill() }
      case 13, 14: startOutlet(of: chance.pick(server.keys))
      case 15: if let outlet = outlets.last(where: isLiving), chance.percent(50) { process.run { outlet.cancel() } }
      case 16, 17, 18: cutOff(of: chance.pick(server.keys))
      case 21...23: harmMirrors(for: time)
      default:
        process.network = chance.pick([.refuses, .loses])
        world.after(time) { process.network = .works }
      }
    }

    /// The outlet that writes is cut off, another one takes its place, and the server loses that.
    private func cutOff(of key: String) {
      guard let writer = livingOutlets(of: key, at: server).last(where: \.machine.isWriting) else { return }
      server.takeSnapshot()
      let (process, time) = (writer.process, Duration.milliseconds(chance.number(3_500...9_000)))
      if chance.percent(30) {
        process.pause(for: time)
      } else {
        process.link?.cut()
        process.network = .loses
        world.after(time) { process.network = .works }
      }
      startOutlet(of: key, inNew: true)
      let loss = chance.number(0...4)
      let slowness = chance.percent(40) ? (chance.number(200...2_800), chance.percent(50)) : nil
      world.after(.milliseconds(chance.number(3_000...9_500))) { [self] in
        guard isHarmful else { return }
        if let slowness { delay(writer, by: .milliseconds(slowness.0), cutting: slowness.1) }
        switch loss {
        case 0: server.crash(.everything, for: .milliseconds(1))
        case 1, 2: server.crash(.sinceSnapshot, for: .milliseconds(1))
        case 3: server.restore(key, withCounter: true)
        default: server.remove([key, "\(key):epoch"])
        }
      }
    }

    private func refuse(at server: SimulatedServer, for time: Duration) {
      guard server.refusal == nil else { return }
      let (message, writesOnly) = chance.pick(SimulatedServer.refusals)
      server.refuse(message, writesOnly: writesOnly)
      world.after(time) { server.accept() }
    }
  }
#endif
