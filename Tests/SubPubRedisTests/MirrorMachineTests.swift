#if Redis && DEBUG
  import SubPub
  @testable import SubPubRedis
  import Testing

  @Suite("A mirror's decisions")
  struct MirrorMachineTests {
    private let start = Moment.now
    private let lost = RedisError.Reason.unreachable("lost")

    private func machine(servers: Int = 1, pacing: Duration? = nil, lagLimit: Duration? = nil) -> MirrorMachine {
      let endpoints = (1...servers).map { RedisEndpoint(host: "server\($0)", timeout: .seconds(2)) }
      return MirrorMachine(.init(key: "key", endpoints: endpoints, pacing: pacing, lagLimit: lagLimit))
    }

    private func name(_ step: MirrorMachine.Step?) -> String {
      switch step {
      case .follow(let endpoint, let position):
        switch position {
        case .newest: "\(endpoint.host) newest"
        case .after(let id): "\(endpoint.host) after \(id)"
        case .afterPublications: "\(endpoint.host) after publications"
        }
      case .rest(let failures, _): "rest \(failures)"
      case .fail(let error): "fail: \(error.reason)"
      case nil: "nothing"
      }
    }

    /// One that has shown an entry of the first of two servers, and has lost that.
    private func machineAtSecondServer() -> MirrorMachine {
      var machine = machine(servers: 2)
      _ = machine.start(at: start)
      let shown = entry(EntryID(epoch: 5, version: 7))
      _ = machine.received(.current(shown), at: start, wallClock: 0)
      _ = machine.note(shown, isDecoded: true, hasData: true, lag: nil)
      _ = machine.lost(lost, at: start)
      return machine
    }

    private func entry(_ id: EntryID, sent: Int64? = nil) -> StreamEntry {
      let fields = ["phase", "unknown"] + (sent.map { ["sent", "\($0)"] } ?? [])
      return StreamEntry.made(id, fields + ["publication", "8-\(id.version)"])
    }

    @Test("a mirror goes from server to server, and rests when all have failed; the count ends with an answer")
    func required_8_04_servers() {
      var machine = machine(servers: 2)
      #expect(name(machine.start(at: start)) == "server1 newest")
      #expect(machine.start(at: start) == nil, "it runs")
      let first = machine.lost(lost, at: start)
      #expect(name(first.next) == "server2 newest" && !first.wasConnected)
      #expect(first.error?.endpoint.host == "server1" && machine.error != nil)
      #expect(name(machine.lost(lost, at: start).next) == "rest 1")
      #expect(name(machine.follow(at: start)) == "server1 newest")
      #expect(name(machine.lost(lost, at: start).next) == "server2 newest")
      #expect(name(machine.lost(lost, at: start).next) == "rest 2")
      _ = machine.follow(at: start)
      #expect(machine.received(.checked, at: start, wallClock: 0).isFirst && machine.isConnected)
      #expect(machine.error == nil && !machine.received(.checked, at: start, wallClock: 0).isFirst)
      let loss = machine.lost(lost, at: start + .seconds(1))
      #expect(loss.wasConnected && name(loss.next) == "server2 newest" && !machine.isConnected)
      #expect(machine.statistics.reconnects == 0)
      #expect(name(machine.lost(lost, at: start + .seconds(1)).next) == "rest 1")
      _ = machine.follow(at: start)
      _ = machine.received(.checked, at: start, wallClock: 0)
      #expect(machine.statistics.reconnects == 1)
      // One that has worked for long enough is tried once more before the pause.
      #expect(name(machine.lost(lost, at: start + .seconds(2)).next) == "server2 newest")
      _ = machine.received(.checked, at: start + .seconds(2), wallClock: 0)
      #expect(name(machine.lost(lost, at: start + .seconds(4)).next) == "server1 newest")
      let wasConnected = machine.stop()
      #expect(!wasConnected && !machine.isRunning)
    }

    @Test("a refusal ends the run when it is repeated, and not if the server has answered in between")
    func required_8_04_refusals() {
      let refused = RedisError.Reason.refused("WRONGTYPE it isn't a stream")
      for (reason, answers, end) in [
        (refused, false, "fail: \(refused)"), (refused, true, "rest 1"),
        (.refused("LOADING it is"), false, "rest 2"), (.refused("NOPERM it isn't allowed"), true, "fail: "),
      ] as [(RedisError.Reason, Bool, String)] {
        var machine = machine()
        _ = machine.start(at: start)
        #expect(name(machine.lost(reason, at: start).next) == "rest 1")
        _ = machine.follow(at: start)
        if answers { _ = machine.received(.checked, at: start, wallClock: 0) }
        #expect(name(machine.lost(reason, at: start).next).hasPrefix(end))
      }
    }

    @Test("a mirror goes on at the node of a cluster that has the key, once, and without an error")
    func required_8_04_moved() {
      var machine = machine()
      _ = machine.start(at: start)
      let moved = RedisError.Reason.refused("MOVED 1 node:7000")
      let loss = machine.lost(moved, at: start)
      #expect(loss.error == nil && name(loss.next) == "node newest")
      #expect(name(machine.lost(moved, at: start).next) == "rest 1")
      #expect(name(machine.follow(at: start)) == "server1 newest")
      #expect(name(machine.lost(moved, at: start).next) == "node newest")
    }

    @Test("a mirror whose key a cluster doesn't read together with others reads it apart from then on")
    func required_8_04_apart() {
      var machine = machine()
      let server = RedisEndpoint(host: "server1", timeout: .seconds(2))
      let place = { (step: MirrorMachine.Step?) -> RedisEndpoint? in
        if case .follow(let place, _)? = step { place } else { nil }
      }
      #expect(place(machine.start(at: start)) == server)
      let crossSlot = RedisError.Reason.refused("CROSSSLOT Keys in request don't hash to the same slot")
      let loss = machine.lost(crossSlot, at: start)
      #expect(loss.error == nil && place(loss.next) == server.apart(for: "key") && place(loss.next) != server)
      let moved = machine.lost(.refused("MOVED 1 node:7000"), at: start)
      #expect(moved.error == nil && place(moved.next)?.description == "node:7000/0")
      #expect(name(machine.lost(crossSlot, at: start).next) == "rest 1")
      #expect(place(machine.follow(at: start)) == server.apart(for: "key"))
    }

    @Test("keys that a cluster has together are read together")
    func required_8_04_hashTags() {
      let server = RedisEndpoint(host: "server1")
      for (key, other, areTogether) in [
        ("{a}b", "{a}c", true), ("x{a}", "{a}y{b}", true), ("{a}", "{b}", false), ("{}a", "{}b", false),
        ("{a", "{a", true), ("a}{b}", "{b}", true), ("a", "b", false), ("{\u{e9}}", "{e\u{301}}", false),
      ] {
        #expect((server.apart(for: key) == server.apart(for: other)) == areTogether, "\(key), \(other)")
      }
    }

    @Test("what was shown decides where a mirror goes on, and what it skips")
    func required_8_06_8_08_position() throws {
      var machine = machine(servers: 2)
      _ = machine.start(at: start)
      for (version, skipped) in [(3, 0), (4, 0), (7, 2)] as [(UInt64, Int)] {
        let entry = entry(EntryID(epoch: 5, version: version))
        guard case .entry(_, true, _) = machine.received(.entry(entry), at: start, wallClock: 0).showing else {
          Issue.record("it isn't shown")
          continue
        }
        #expect(machine.note(entry, isDecoded: version != 4, hasData: true, lag: nil) == nil)
        #expect(machine.statistics.skipped == skipped)
      }
      #expect(machine.statistics.entries == 3 && machine.statistics.undecodable == 1)
      // An outlet has written one again, because the server had lost it.
      let repeated = machine.received(.entry(entry(EntryID(epoch: 5, version: 4))), at: start, wallClock: 0)
      #expect(repeated.showing == nil)
      #expect(name(machine.lost(lost, at: start).next) == "server2 after publications")
      #expect(name(machine.lost(lost, at: start).next) == "rest 1")
      #expect(name(machine.follow(at: start)) == "server1 after 5-7")
    }

    @Test("a mirror that has shown only what somebody else has written goes on at another server's newest entry")
    func required_8_05_8_01_foreign() {
      for isDecoded in [true, false] {
        var machine = machine(servers: 2)
        _ = machine.start(at: start)
        let foreign = StreamEntry.made(EntryID(epoch: 5, version: 7), ["phase", "loaded"])
        _ = machine.received(.current(foreign), at: start, wallClock: 0)
        _ = machine.note(foreign, isDecoded: isDecoded, hasData: true, lag: nil)
        #expect(name(machine.lost(lost, at: start).next) == (isDecoded ? "server2 after 5-7" : "server2 newest"))
      }
    }

    private func name(_ result: MirrorMachine.Result) -> String {
      let showing =
        switch result.showing {
        case .entry(let entry, _, _): "\(entry.id)"
        case .last: "last"
        case .nothing: "empty"
        case nil: "nothing"
        }
      return switch result.request {
      case .check(let time): "\(showing), check after \(start.duration(to: time))"
      case .entries(let place): "\(showing), entries after \(place)"
      case nil: showing
      }
    }

    @Test("states of a process that has begun anew on a server that is behind are shown one by one, after a while")
    func required_8_06_8_08_beginsAnew() {
      var machine = machineAtSecondServer()
      let new = (1...3).map {
        StreamEntry.made(EntryID(epoch: 9, version: $0), ["phase", "loaded", "publication", "9-\($0)"])
      }
      for event in [StreamEvent.behind(new[0]), .entry(new[1]), .entry(new[2])] {
        #expect(name(machine.received(event, at: start, wallClock: 0)).hasSuffix(", check after 2.0 seconds"))
      }
      let late = start + .seconds(2)
      #expect(name(machine.received(.checked, at: late, wallClock: 0)) == "nothing, entries after 9-0")
      for entry in new {
        #expect(name(machine.received(.entry(entry), at: late, wallClock: 0)) == "\(entry.id)")
        _ = machine.note(entry, isDecoded: true, hasData: true, lag: nil)
      }
      #expect(machine.statistics.skipped == 0)
    }

    @Test("what has waited at one server is forgotten at the next")
    func required_8_08_nextServer() {
      var machine = machineAtSecondServer()
      let new = StreamEntry.made(EntryID(epoch: 9, version: 1), ["phase", "loaded", "publication", "9-1"])
      #expect(name(machine.received(.behind(new), at: start, wallClock: 0)).hasPrefix("last, check"))
      _ = machine.lost(lost, at: start)
      _ = machine.follow(at: start)
      #expect(name(machine.received(.entry(new), at: start, wallClock: 0)) == "9-1")
    }

    @Test("an error of the mirror has the same data, and no identifier of the publishing process")
    func required_8_04_ownError() {
      let entry = StreamEntry.made(EntryID(epoch: 9, version: 1), ["publication", "9-1", "since", "7"])
      let state = EntryState(.loaded(1), of: entry)
      let failed = state.failed(RedisError(endpoint: RedisEndpoint(), key: "key", reason: lost))
      #expect(state.id == PublicationID(epoch: 9, version: 1) && failed.id == nil)
      #expect(failed.state.value == 1 && failed.since == 7 && failed.state.phase == .error)
    }

    @Test("the first answer ends the error of a lost connection, also if what was read isn't shown")
    func required_8_04_olderAnswer() {
      var machine = machine()
      _ = machine.start(at: start)
      let shown = entry(EntryID(epoch: 5, version: 7))
      _ = machine.received(.current(shown), at: start, wallClock: 0)
      _ = machine.note(shown, isDecoded: true, hasData: true, lag: nil)
      for shows in [true, false] {
        if shows { _ = machine.lost(lost, at: start) }
        let showing = machine.received(
          .entry(StreamEntry.made(EntryID(epoch: 5, version: 9), ["publication", "8-6"])), at: start, wallClock: 0
        )
        .showing
        if case .last = showing { #expect(shows) } else { #expect(!shows) }
      }
    }

    @Test("an entry that has taken too long is an error until the server has nothing newer; the pace doesn't count")
    func required_8_07_lag() throws {
      var machine = machine(pacing: .seconds(1), lagLimit: .seconds(2))
      _ = machine.start(at: start)
      let sent: [(UInt64, Int64, Int, Bool)] = [
        (1, 7_001, 1_999, false), (2, 6_999, 2_001, true), (3, 12_000, 0, false),
      ]
      for (version, sent, lag, isLate) in sent {
        let entry = entry(EntryID(epoch: 5, version: version), sent: sent)
        guard case .entry(_, true, let found) = machine.received(.entry(entry), at: start, wallClock: 10_000).showing
        else {
          Issue.record("it isn't shown")
          continue
        }
        #expect(found == .milliseconds(lag))
        #expect((machine.note(entry, isDecoded: true, hasData: true, lag: found) != nil) == isLate)
        for shows in [isLate, false] {
          let showing = machine.received(.caughtUp, at: start, wallClock: 0).showing
          if case .last = showing { #expect(shows) } else { #expect(!shows) }
        }
      }
      // One that was there when it was asked for hasn't taken any time.
      let old = entry(EntryID(epoch: 6, version: 9), sent: 1)
      guard case .entry(_, true, .zero) = machine.received(.current(old), at: start, wallClock: 10_000).showing else {
        Issue.record("it has taken time")
        return
      }
    }
  }
#endif
