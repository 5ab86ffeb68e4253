#if Redis && (DEBUG || TESTABLE)
  @testable import SubPubRedis

  /// Who may write.
  extension Simulation {
    /// 8.02, 8.08: no entry of a superseded outlet after the one that superseded it knows that it has the key.
    ///
    /// One that finds nothing on the server begins at once, so the one before may write for as long as it is sure. And
    /// only an outlet that can reach the server restores its number there: within a second and a quarter, or within
    /// three if the server, which has been started again or has lost the number, shows that it has lost something.
    func noteTaken(_ key: String, _ id: EntryID, at server: SimulatedServer) {
      notePublication(of: key, id, at: server)
      world.note("\(key) of \(server.name) has \(id)")
      let loss = server.losses[key]
      // Besides, others have added some, and from a thousand on the server removes blocks.
      if server.length(of: key) > maxLength + (maxLength < 1_000 ? 5 : 105) {
        world.violate("8.04: \(key) has \(server.length(of: key)) entries")
      }
      // What was on its way is taken if the stream was replaced meanwhile.
      if let sent = server.sentOfArrival, let loss, sent < loss.any { return }
      if server.rate != nil, loss.map({ $0.any > world.time - .seconds(10) }) ?? false { return }
      // What is lost twice may have been restored in between, and nobody has seen that.
      let isLostTwice = loss.map { $0.former > world.time - .seconds(2) } ?? false
      for outlet in livingOutlets(of: key, at: server) where outlet.machine.stream.isDataKnown {
        guard let token = outlet.machine.token, let seen = outlet.machine.certainty.lastVerified else { continue }
        let age = seen.duration(to: world.now)
        // Who finds nothing waits for nobody, so the one before may still be sure, and find an older copy in time.
        let isNew = outlet.began.map { $0.isAtOnce && world.time < $0.time + .seconds(6) } ?? false
        let hasLost = loss.map { $0.any > world.time - .seconds(10) } ?? false
        if token > id.epoch, token + 3_250 <= server.milliseconds, !(isNew && hasLost), !isLostTwice {
          // Who has been sure of its number for moments goes on after a loss that shows.
          let writes = legal[key].map { $0.epoch == id.epoch && world.time < $0.time + .seconds(3) } ?? false
          let isEvident = (loss?.evident ?? .seconds(-100)) > world.time - age && !writes
          if age <= (isEvident ? .milliseconds(3_200) : .milliseconds(1_250)) {
            return world.violate("8.08: \(key) takes \(id), and \(token) has it")
          }
        }
        // One that has said that it ends writes nothing more.
        if token < id.epoch, !hasLost, outlet.machine.phase != .ending,
          outlet.machine.certainty.mayWrite(at: world.now)
        {
          return world.violate("8.08: \(key) takes \(id) while \(token) may still be sure that it has it")
        }
      }
      // From then on the server refuses what the outlet before has sent.
      let number = server.number(of: key)
      if server.maySetIDs, id.epoch < number, loss.map({ $0.any < world.time - .seconds(30) }) ?? true {
        world.violate("8.02: \(key) takes \(id), and it is \(number)'s")
      }
      if server === self.server { legal[key] = (id.epoch, world.time) }
    }

    /// 8.09: nobody takes a lease that another outlet renews.
    func noteHolder(_ key: String, _ name: String) {
      world.note("\(name) has the lease of \(key)")
      guard let lease else { return }
      if isHarmful, world.chance.percent(5), let process = outlets.first(where: { $0.name == name })?.process {
        // The reply that says so doesn't arrive.
        world.after(.microseconds(1)) { process.link?.cut() }
      }
      // So does one whose question was on its way when the lease was lost.
      let losses = server.leaseLosses[key] ?? []
      if let loss = losses.last, loss.time > world.time - .milliseconds(300) { return }
      // What is lost twice may have been renewed in between, and nobody has seen that; nor does who waits, each second,
      // see a lease that came back for less.
      if losses.count > 1, losses[losses.count - 2].time > world.time - lease - .seconds(1) { return }
      if let loss = losses.last, loss.wasBrief, loss.time > world.time - lease - .seconds(1) { return }
      let hasLost = server.losses[key].map { $0.any > world.time - .seconds(10) } ?? false
      for outlet in outlets where outlet.key == key && outlet.name != name && isLiving(outlet) {
        guard outlet.machine.phase == .writing, let due = outlet.machine.lease?.due, !hasLost else { continue }
        // One that comes back may not know that it was superseded, perhaps by this one.
        let token = outlet.machine.token ?? 0
        if server.formerNumbers[key] ?? 0 > token { continue }
        if outlets.contains(where: { $0.key == key && $0.machine.token ?? 0 > token }) { continue }
        if due + lease * 2 / 3 > world.now { world.violate("8.09: \(name) takes the lease of \(outlet.name)") }
      }
    }
  }

  /// What happens to outlets that rest.
  extension Simulation {
    /// Lets something be lost while all is quiet.
    ///
    /// It is restored. Then an outlet that waits follows at once on one that ends, and all end.
    func rest() {
      let start = world.time
      for key in server.keys where !outlets.contains(where: { $0.key == key && isLiving($0) }) { startOutlet(of: key) }
      let idle = outlets.filter { isLiving($0) && $0.machine.isWriting }
      server.takeSnapshot()
      for process in processes { publish(1, in: process) }
      world.run(until: start + .seconds(5))
      for outlet in idle where !outlet.machine.isWriting && !mayLoseLease(outlet) {
        return world.violate("8.04: \(outlet.name) doesn't write")
      }
      for key in server.keys { loseSomething(of: key, chance.number(0...5)) }
      world.run(until: start + .seconds(20))
      for key in server.keys where !outlets.contains(where: { $0.key == key && isLiving($0) && $0.machine.isWriting }) {
        world.violate("8.02: nobody writes to \(key)")
      }
      if world.violations.isEmpty { checkEnd() }
      if world.violations.isEmpty { checkEnding(at: start + .seconds(20)) }
    }

    /// Whether its last state is on its way for so long that the lease may end before it is renewed.
    private func mayLoseLease(_ outlet: SimulatedOutlet) -> Bool {
      guard let lease, let rate = server.rate else { return false }
      return .milliseconds(outlet.publisher.byteCount(of: outlet.publisher.version) / rate) > lease / 2
    }

    private func loseSomething(of key: String, _ number: Int) {
      switch number {
      case 0, 1: server.restore(key, withCounter: number == 0)
      case 2:
        // A stream remembers the id of what was deleted.
        if server.maySetIDs { server.removeLastEntry(of: key) }
      case 3: server.remove([key])
      case 4: server.remove([key, "\(key):epoch"])
      default: server.crash(.sinceSnapshot, for: .milliseconds(1))
      }
    }

    private func checkEnding(at start: Duration) {
      if lease != nil { for key in server.keys { startOutlet(of: key) } }
      world.run(until: start + .seconds(3))
      let limit = min(.seconds(1), timeout / 2) + .milliseconds(500)
      for outlet in outlets where isLiving(outlet) && outlet.machine.isWriting {
        outlet.cancel()
        world.after(.milliseconds(400)) { [self] in
          if isLiving(outlet) { world.violate("8.07: \(outlet.name) has nothing to do, and doesn't end") }
        }
        if !outlets.contains(where: { $0.key == outlet.key && isLiving($0) && $0.machine.isWaiting }) { continue }
        let number = outlet.machine.token ?? 0
        world.after(limit) { [self] in
          let next = outlets.filter { $0.key == outlet.key && isLiving($0) }
          // What it writes then may be large.
          if !next.contains(where: { $0.machine.token ?? 0 > number }) {
            world.violate("8.09: nobody follows \(outlet.name)")
          }
        }
      }
      world.run(until: start + .seconds(6))
    }
  }
#endif
