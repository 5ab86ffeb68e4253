#if Redis && (DEBUG || TESTABLE)
  import SubPub
  @testable import SubPubRedis

  /// What is checked at the end, and a while after a harm.
  extension Simulation {
    /// 8.07: a dead connection is noticed within twice the time-out.
    func expectNotice(of link: SimulatedLink, in process: SimulatedProcess) {
      guard link.isDead, !process.isPaused else { return }
      let pauses = process.pauses
      world.after(timeout * 2 + .milliseconds(200)) { [self] in
        guard link.failure == nil, process.pauses == pauses, !process.isPaused, !process.isDead else { return }
        guard process.link === link else { return expectNoticeByMirrors(of: link, in: process, pauses) }
        let fooled = process.outlets.filter { $0.machine.isWriting || $0.machine.isWaiting }
        if !fooled.isEmpty { world.violate("8.07: \(fooled.map(\.name)) don't notice a dead connection") }
      }
    }

    func checkEnd() {
      for outlet in outlets { check(outlet) }
      for server in writable { for key in server.keys { checkWriter(of: key, at: server) } }
    }

    private func checkWriter(of key: String, at server: SimulatedServer) {
      let living = livingOutlets(of: key, at: server)
      guard !living.isEmpty else { return }
      let writing = living.filter(\.machine.isWriting)
      guard writing.count == 1, let writer = writing.first else {
        return world.violate("8.02: \(living.map(\.name)) share \(key)")
      }
      guard let token = writer.machine.token else { return }
      let (confirmed, taken) = (writer.machine.entries.confirmedCount, server.count(of: key, token))
      let hasLost = server.hasLostData || server.trimmed.contains(key)
      if confirmed > taken || !hasLost && confirmed < taken {
        world.violate("8.06: \(writer.name) counts \(confirmed) of \(taken) entries as confirmed")
      }
      let newest = EntryID(epoch: token, version: writer.lastVersion)
      if newest.version > 0, server.last(of: key) != newest {
        let last = server.last(of: key).map { "\($0)" } ?? "nothing"
        world.violate("8.01: \(key) ends at \(last) and not at \(newest)")
      }
      if writer.machine.unconfirmedCount > 0 || writer.pendingCount > 0 {
        world.violate("8.06: \(writer.name) has something left to write")
      }
      if writer.finished != Int(writer.publisher.version) - Int(max(1, writer.firstVersion)) + 1 {
        world.violate("8.06: \(writer.name) has counted \(writer.finished) of \(writer.publisher.version)")
      }
    }

    private func check(_ outlet: SimulatedOutlet) {
      // 8.06: a state counts as confirmed only if the server has taken it.
      let server = outlet.process.server
      if let id = outlet.machine.entries.lastConfirmed?.id, server.taken[outlet.key]?.contains(id) != true {
        world.violate("8.06: \(id) is confirmed, and the server hasn't taken it")
      }
      if outlet.end == nil {
        if let cancelled = outlet.cancelled, !outlet.process.isDead, world.time > cancelled.at + .seconds(16) {
          world.violate("8.07: \(outlet.name) doesn't end")
        }
      }
    }
  }
#endif
