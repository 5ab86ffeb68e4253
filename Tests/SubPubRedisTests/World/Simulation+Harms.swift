#if Redis && (DEBUG || TESTABLE)
  @testable import SubPubRedis

  /// What happens more rarely.
  extension Simulation {
    func rareHarm(to process: SimulatedProcess, for time: Duration) {
      let key = chance.pick(server.keys)
      switch chance.number(0...12) {
      case 0, 1, 2: refuseForMoments(process, for: time)
      case 3: server.addForeign(to: key, deletesIt: chance.percent(60))
      case 4: stutter(process)
      case 5: server.remove(["\(key):lease"])
      case 6:
        process.link?.die(toServer: chance.percent(50), toClient: true)
        for outlet in process.outlets {
          world.after(chance.milliseconds(upTo: 500)) { process.run { if self.isHarmful { outlet.cancel() } } }
        }
      case 7, 8: slowDown(process, key)
      case 9: chance.pick(writable).replace("a", for: time)
      case 10: chance.pick(writable).trim("a", to: chance.number(1...3))
      case 11: process.clockError = .milliseconds(chance.number(-3_000...3_000))
      default: loseReplies(of: process)
      }
    }

    /// Some of what is on its way is refused, and the connection may end before the replies arrive.
    private func refuseForMoments(_ process: SimulatedProcess, for time: Duration) {
      server.refuseForMoments(chance.pick(SimulatedServer.refusals.filter(\.1)).0, for: time)
      burst(in: process)
      if chance.percent(60) { world.after(chance.milliseconds(upTo: 200)) { process.link?.cut() } }
    }

    /// The server takes what was sent, and nobody learns of that.
    private func loseReplies(of process: SimulatedProcess) {
      burst(in: process)
      world.after(.microseconds(chance.number(10...100_000))) { process.link?.cut() }
    }

    private func burst(in process: SimulatedProcess) {
      for step in 0..<8 {
        let count = chance.number(1...10)
        world.after(.milliseconds(step * 3)) { [self] in publish(count, in: process) }
      }
    }

    /// A reply takes almost too long, another outlet takes over meanwhile, and the connection is dead afterwards.
    private func slowDown(_ process: SimulatedProcess, _ key: String) {
      guard server.maySetIDs else { return }
      let (time, rest) = (timeout * 9 / 10, chance.milliseconds(upTo: 300))
      let isNew = chance.percent(50)
      if isNew { process.link?.cut() }
      world.after(.milliseconds(isNew ? 150 : 0)) { [self] in
        process.link?.hold(for: time)
        world.after(.milliseconds(chance.number(1...60))) { [self] in startOutlet(of: key, inNew: true) }
        world.after(time + rest) { process.link?.die(toServer: true, toClient: true) }
      }
    }

    /// The connection is dead, and the process is so busy that it hardly notices.
    private func stutter(_ process: SimulatedProcess) {
      guard let link = process.link, link.failure == nil, !process.isPaused else { return }
      link.die(toServer: true, toClient: true)
      let former = process.pauses
      for step in 0..<12 {
        world.after(timeout * step * 7 / 10) { [self] in if isHarmful { process.pause(for: timeout * 6 / 10) } }
      }
      world.after(timeout * 5) { [self] in
        // If another harm has paused it for longer, it hasn't run often enough.
        if isHarmful, process.link === link, link.failure == nil, !process.isPaused, process.pauses == former + 8,
          process.outlets.contains(where: \.machine.isWriting)
        {
          world.violate("8.07: a process that is busy never notices a dead connection")
        }
      }
    }

    /// The outlet that has taken over is away for a while when the server loses that; and the one before, which comes
    /// back, may lose its connection.
    func delay(_ former: SimulatedOutlet, by time: Duration, cutting: Bool) {
      let number = former.machine.token ?? 0
      let late = outlets.filter { $0.key == former.key && isLiving($0) && $0.machine.token ?? 0 > number }
      for process in processes where late.contains(where: { $0.process === process }) && process !== former.process {
        process.link?.cut()
        process.network = .loses
        world.after(time) { process.network = .works }
      }
      if cutting { world.after(time / 2) { former.process.link?.cut() } }
    }
  }
#endif
