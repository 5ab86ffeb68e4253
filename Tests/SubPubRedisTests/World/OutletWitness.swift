#if Redis && (DEBUG || TESTABLE)
  @testable import SubPubRedis

  /// Sees everything that an outlet does, and says what it mustn't do.
  final class OutletWitness {
    private unowned let outlet: SimulatedOutlet
    private var world: World { outlet.world }
    private var server: SimulatedServer { outlet.process.server }
    /// The states that were taken and aren't confirmed.
    private var taken: [(version: UInt64, time: Moment, byteCount: Int)] = []
    private var takenByteCount = 0
    private var largest = 0
    private var confirmedCount = 0
    private var isTold = false
    /// Since when the server has refused to write, as far as the outlet has asked.
    private var refusing: Duration?
    /// What a cancelled run had to write, and what it had finished.
    private var demand: (count: Int, finished: Int, skipped: Int)?

    init(_ outlet: SimulatedOutlet) { self.outlet = outlet }

    private func violate(_ text: String) { world.violate("\(text): \(outlet.name)") }

    func notesTaken(_ version: UInt64, ofByteCount byteCount: Int) {
      taken.append((version, world.now, byteCount))
      takenByteCount += byteCount
      largest = max(largest, byteCount)
    }

    /// Something has happened, and the machine has decided.
    func looks() {
      let machine = outlet.machine
      if machine.entries.confirmedCount != confirmedCount {
        confirmedCount = machine.entries.confirmedCount
        let count = machine.token.map { server.count(of: outlet.key, $0) } ?? 0
        if confirmedCount > count { violate("8.06: \(confirmedCount) entries are confirmed, and \(count) were taken") }
      }
      if outlet.takesStates {
        let known = machine.finishedCount + machine.unconfirmedCount + outlet.pendingCount
        if known != outlet.accepted { violate("8.06: of \(outlet.accepted) states, \(known) are known") }
      }
      guard let first = machine.entries.firstEntry else { return }
      let done = taken.prefix { $0.version < first.id.version }
      takenByteCount -= done.reduce(0) { $0 + $1.byteCount }
      taken.removeFirst(done.count)
      if let time = taken.first?.time, first.taken != time { violate("8.07: \(first.id) was taken at another time") }
      if takenByteCount > 8 << 20 + 2 * largest { violate("8.04: \(takenByteCount) bytes wait for a reply") }
    }

    /// Something is sent.
    func sends() {
      // Entries after one that was refused would be taken, and that one couldn't be any more.
      if case .entries? = outlet.machine.questions.last, outlet.machine.entries.refusal != nil {
        violate("8.06: more is sent after a refusal that is known")
      }
    }

    func tells(_ event: OutletMachine.Event) {
      switch event {
      case .writes:
        if isTold, wasWriting { violate("7.04: it says twice that it writes") }
        (isTold, wasWriting) = (true, true)
        refusing = nil
      case .standsBy:
        if server.leaseHolder(of: outlet.key) == outlet.name { violate("8.09: it waits for the end of its own lease") }
        (isTold, wasWriting) = (true, false)
        refusing = nil
      case .disconnected:
        if !isTold { violate("7.04: it says twice that it isn't connected") }
        isTold = false
      case .superseded: break
      }
    }
    private var wasWriting = false

    /// 8.04: a refusal that lasts ends an outlet, and one that passes doesn't.
    func rests(_ reason: RedisError.Reason, isHopeless: Bool) {
      guard SimulatedServer.mayLast(reason) else { return refusing = nil }
      if outlet.machine.phase == .standingBy(until: world.now) { refusing = nil }
      let since = refusing ?? world.time
      refusing = since
      let isLong = world.time - since >= outlet.settings.endpoint.replyTimeout
      if isLong != isHopeless { violate("8.04: refused since \(since), and it \(isHopeless ? "ends" : "goes on")") }
    }

    func isCancelled() {
      let (finished, pauses) = (outlet.machine.finishedCount, outlet.process.pauses)
      world.after(outlet.settings.endpoint.replyTimeout * 2) { [self] in
        let process = outlet.process
        if outlet.end == nil, !process.isDead, !process.isPaused, process.pauses == pauses {
          violate("8.07: it was cancelled, and doesn't end")
        }
      }
      demand = (outlet.publisher.version == 0 ? 0 : outlet.accepted - finished, finished, outlet.skipped)
    }

    /// 8.02, 8.04, 8.07: why it may end, and what is left.
    func ends(with error: (any Error)?) {
      let left = demand.map { max(0, $0.count - (outlet.machine.finishedCount - $0.finished)) } ?? 0
      switch error {
      case nil:
        if outlet.cancelled == nil { violate("8.04: it ends by itself") }
        // What has taken the place of such states is counted as skipped.
        let skipped = demand.map { outlet.skipped - $0.skipped } ?? 0
        if left > skipped {
          violate("8.07: it ends, and \(left) states aren't written")
        }
      case is RedisSuperseded:
        // The other one may have died before it knew its number. If a number is lost in the millisecond in which it was
        // given away, it is given away again.
        let (greatest, token) = (server.greatestNumbers[outlet.key] ?? 0, outlet.machine.token ?? 0)
        if greatest < token || greatest == token && !server.givenAgain.contains(outlet.key) {
          violate("8.02: it is superseded by nobody")
        }
      case let error as RedisError:
        if case .unwritten(let count) = error.reason {
          if count != left || left == 0 { violate("8.07: it counts \(count) unwritten states, and there are \(left)") }
        } else if !SimulatedServer.mayLast(error.reason), !SimulatedServer.lasts(error.reason) {
          violate("8.04: it ends with \(error.reason)")
        }
      case let error?: violate("it ends with \(error)")
      }
    }
  }
#endif
