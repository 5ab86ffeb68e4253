#if Redis && (DEBUG || TESTABLE)
  import SubPub
  @testable import SubPubRedis

  /// The oracle.
  extension Simulation {
    /// Notes which data an entry brings.
    func notePublication(of key: String, _ id: EntryID, at server: SimulatedServer) {
      if replicas.contains(server) { return }
      guard
        let outlet = outlets.first(where: {
          $0.key == key && $0.process.server === server && $0.machine.token == id.epoch
        }),
        let state = outlet.publisher.states[id.version]
      else { return }
      if outlet.publisher.isRelay {
        if state.state.phase == .loaded { mirrors.relayed[server, default: [:]][id] = state.id }
      } else {
        // The data before that of a state that can't be encoded may not have been written itself.
        let former = outlet.substituted[id.version].flatMap { EntryID($0.prefix { $0 != 32 }) }
        let publication = former.map { PublicationID(epoch: $0.epoch, version: $0.version) } ?? state.id
        mirrors.written[key, default: [:]][id] = publication
        // A publisher whose outlet takes the key over again is the newest again.
        let isAnew = id.epoch > mirrors.tokens.updateValue(id.epoch, forKey: key) ?? 0
        if isAnew || mirrors.orders[key]?[publication] == nil {
          let rank = mirrors.written[key]?.count ?? 0
          mirrors.orders[key, default: [:]][publication] = DataOrder(id: publication, rank: rank)
        }
      }
    }

    private func order(of value: String?, _ key: String) -> DataOrder? {
      guard let value, let id = EntryID(Array(value.utf8)[...]) else { return nil }
      return mirrors.orders[key]?[PublicationID(epoch: id.epoch, version: id.version)]
    }

    /// Checks what a mirror shows.
    func noteShown(_ entry: StreamEntry, by mirror: SimulatedMirror, _ number: Int) {
      let (address, last) = (mirror.address, mirrors.shown[number])
      let server = address.servers[0]
      let value = mirror.shown.state.value
      let order = order(of: value, mirror.key)
      if let value, order == nil { world.violate("8.01: \(mirror.name) shows \(value), which no outlet has written") }
      let epoch = value.flatMap { EntryID(Array($0.utf8)[...]) }?.epoch ?? 0
      defer {
        mirrors.shown[number] = .init(
          id: entry.id, server: server, order: order ?? last?.order,
          read: entry.publication.flatMap { mirrors.orders[mirror.key]?[$0] }, epoch: entry.publication?.epoch,
          since: mirror.shown.since, time: world.time)
        if entry.isLoaded { mirrors.epochs[number, default: [:]][epoch] = order }
      }
      guard let former = last?.order else { return }
      // The first state of a run can't be encoded, and there is no data from before.
      if order == nil, entry.errorType?.hasSuffix("RedisError") ?? false, entry.publication?.epoch == last?.epoch {
        return
      }
      guard let order else { return world.violate("8.08: \(mirror.name) shows no data after \(former)") }
      // Another server's data of a process that has published more than the mirror has seen of it may be new or old: it
      // is shown after a while. And a relay that finds an older copy looks like one whose process has taken the key
      // over again, until the outlet restores what is missing.
      let isOfOtherServer = mirror.addresses.count > 1 || !mirrors.relays.isEmpty
      let isUnknown = isOfOtherServer && (mirrors.epochs[number]?[epoch] ?? order) <= order
      // Where the outlets write, their numbers decide: one that was cut off may have written later with a smaller one.
      let isDirect = server === self.server && last?.server === server
      let isGreater = isOfOneStream(server, last?.server) && entry.id > last?.id ?? .zero
      // What an outlet has found at the key is told from newer data by its time, so a clock that was set back deceives.
      let seemsNewer = entry.isInherited && entry.since ?? .min > last?.since ?? .max
      let isOlder =
        isDirect ? entry.id <= last?.id ?? .zero : order < former && !isUnknown && !isGreater && !seemsNewer
      if isOlder { world.violate("8.08: \(mirror.name) shows \(entry.id), data \(order), after data \(former)") }
      // While a relay is behind, its data is shown only if it stays behind, and then the newest of it.
      let isInOrder = entry.publication?.epoch == last?.epoch || isDirect
      if entry.isLoaded, isInOrder { checkSkipped(before: entry, by: mirror, number, order, from: last, at: address) }
    }

    private func isOfOneStream(_ servers: SimulatedServer?...) -> Bool {
      servers.allSatisfy { place in place === server || replicas.contains { $0 === place } }
    }

    /// 8.06: a mirror skips only what the stream doesn't hold any more.
    private func checkSkipped(
      before entry: StreamEntry, by mirror: SimulatedMirror, _ number: Int, _ order: DataOrder,
      from last: SimulatedMirrors.Shown?, at address: SimulatedAddress
    ) {
      let server = address.servers[0]
      guard mirror.pacing == nil, address.servers.count == 1, !isSlow, let last,
        let former = [last.order, last.read].compactMap({ $0 }).max(),
        (server.lastLoss ?? .zero) <= last.time
      else { return }
      // One that was cut off may have written with a smaller number since, which a replica has, too.
      let isComparable = last.server === server || isOfOneStream(server, last.server)
      let held = server.held(mirror.key, after: isComparable ? last.id : .zero).filter { $0 < entry.id }
      let orders = held.map { id in
        let data = mirrors.relays.contains(server) ? mirrors.relayed[server]?[id] : mirrors.written[mirror.key]?[id]
        return data.flatMap { mirrors.orders[mirror.key]?[$0] }
      }
      // A relay whose server has lost something may have gone back: a mirror that comes from another one goes on there.
      let start = isComparable ? 0 : orders.lastIndex { $0.map { $0 <= former } ?? false } ?? 0
      for (id, other) in zip(held, orders).dropFirst(start) {
        guard let other, other > former, other < order else { continue }
        // It has shown that process's data before, and that of a process from before it since.
        if let shown = mirrors.epochs[number]?[other.id.epoch], other <= shown { continue }
        // What has waited of another process may be older than everything, since this one has gone on.
        if mirrors.relays.contains(server), other.id.epoch != order.id.epoch { continue }
        world.violate("8.06: \(mirror.name) skips \(id) before \(entry.id), and \(server.name) holds it")
      }
    }

    /// 8.07: a dead connection is noticed.
    ///
    /// The server may have answered over it after something was lost, and nothing may have been asked for a while.
    func expectNoticeByMirrors(of link: SimulatedLink, in process: SimulatedProcess, _ pauses: Int) {
      let rest = max(link.lastArrival, link.lastSending) + timeout * 2 + .milliseconds(200) - world.time
      if rest <= .zero {
        let fooled = process.mirrors.filter { $0.machine.isConnected && $0.reads(over: link) }
        if !fooled.isEmpty { world.violate("8.07: \(fooled.map(\.name)) don't notice a dead connection") }
        return
      }
      world.after(rest) { [self] in
        guard link.failure == nil, process.pauses == pauses, !process.isPaused, !process.isDead else { return }
        expectNoticeByMirrors(of: link, in: process, pauses)
      }
    }

    /// 8.03: while nothing bad happens, mirrors show each state soon, also those that have just begun; and connections
    /// that are lost while little is written don't slow them down.
    func watchMirrors() {
      for second in [10, 13, 16] { world.after(.seconds(second)) { [self] in startMirror(atMost: 8) } }
      for second in 10..<20 { world.after(.milliseconds(second * 1_000 + 900)) { [self] in checkLag() } }
      world.after(.milliseconds(39_900)) { [self] in
        let readers = processes.filter { !$0.isDead }.flatMap(\.readers)
        let before = readers.map(\.batchCount)
        for second in 0..<10 {
          world.after(.milliseconds(second * 1_000 + 100)) { [self] in
            for process in processes { publish(1, in: process) }
          }
          world.after(.milliseconds(second * 1_000 + 600)) {
            for reader in readers { reader.openLinks.forEach { $0.cut() } }
          }
        }
        world.after(.seconds(12)) { [self] in
          // One or two may be lost while there is something to be read.
          let isSmaller = zip(readers, before).contains { $0.batchCount * 4 < $1 }
          if isSmaller, !isSlow, server.outputLimit == nil {
            world.violate("8.03: lost connections make the batches smaller")
          }
        }
      }
    }

    private func checkLag() {
      for mirror in mirrors.all where isLiving(mirror) && mirror.machine.isConnected && mirror.pacing == nil {
        if mirror.process.isPaused { continue }
        guard !isSlow, server.outputLimit == nil,
          mirror.addresses.allSatisfy({ $0.servers.count == 1 && $0.servers[0] === server }),
          let writer = livingOutlets(of: mirror.key, at: server).first(where: \.machine.isWriting),
          writer.machine.unconfirmedCount == 0, writer.pendingCount == 0,
          server.lastTaken[mirror.key] ?? .zero < world.time - .milliseconds(700),
          (server.taken[mirror.key]?.lazy.map(\.epoch).max() ?? 0) == writer.machine.token
        else { continue }
        let newest = "\(writer.publisher.epoch)-\(writer.publisher.version)"
        guard case .loaded(newest) = mirror.shown.state else {
          world.violate("8.03: \(mirror.name) still shows \(mirror.shown.state), and \(newest) is written")
          continue
        }
      }
    }

    /// 8.01: all mirrors are at the newest state.
    func checkMirrors() {
      for mirror in mirrors.all where isLiving(mirror) {
        guard let writer = livingOutlets(of: mirror.key, at: server).first(where: \.machine.isWriting) else { continue }
        // An outlet that was superseded while it was cut off may find that everything about that is lost, and go on.
        // Mirrors that have seen the other one take its entries for an older copy.
        let greatest = server.taken[mirror.key]?.lazy.map(\.epoch).max() ?? 0
        if greatest > writer.machine.token ?? 0 { continue }
        // One that takes too long on its way is left out.
        if isSlow, writer.publisher.isLarge(writer.publisher.version) { continue }
        let newest = "\(writer.publisher.epoch)-\(writer.publisher.version)"
        guard case .loaded(newest) = mirror.shown.state, mirror.machine.isConnected else {
          world.violate("8.01: \(mirror.name) ends at \(mirror.shown.state) and not at \(newest)")
          continue
        }
      }
    }
  }
#endif
