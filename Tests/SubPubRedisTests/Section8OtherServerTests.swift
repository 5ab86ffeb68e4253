#if Redis && DEBUG
  @testable import SubPubRedis
  import Testing

  @Suite("8 Across processes: a mirror that goes on at another server", .hangLimit)
  struct Section8OtherServerTests {
    private let publisher = Publisher<Int>(label: "source")

    @Test(
      "it goes on after what it has shown, whichever of the outlets has the greater number",
      arguments: [false, true], [nil, Duration.milliseconds(5)])
    func required_8_01_otherOutlet(isOlder: Bool, pacing: Duration?) async throws {
      let servers = try [RedisStandIn(), RedisStandIn()]
      let outlets = servers.map { RedisOutlet(publisher, key: "key", endpoint: $0.endpoint, retry: .quick) }
      let mirror = RedisMirror<Int>(key: "key", from: servers.map(\.endpoint), pacing: pacing, retry: .quick)
      let recorder = mirror.record()
      publisher.updateData(0)
      // The number of an outlet is the time when it begins.
      var runs: [Task<Void, any Error>] = []
      for outlet in isOlder ? outlets.reversed() : outlets { runs.append(try await started(outlet)) }
      try await running(mirror) {
        try await mirror.reach(0)
        for number in 1...19 { publisher.updateData(number) }
        try await mirror.reach(19)
        servers[0].stop()
        for number in 20...59 { publisher.updateData(number) }
        try await mirror.reach(59)
      }
      await mirror.publisher.drain()
      #expect(recorder.loaded.withoutRepeats == recorder.loaded.withoutRepeats.sorted())
      if pacing == nil { #expect(Set(recorder.loaded) == Set(0...59) && mirror.statistics.skipped == 0) }
      // The first one can't write what is left.
      for run in runs { run.cancel() }
      for run in runs { _ = await run.result }
    }

    @Test("a server whose relay is behind shows nothing until it has caught up, and only its errors without data")
    func required_8_08_behind() {
      let start = Moment.now
      var shown = ShownPublications()
      for entry in [entry(1, of: 7, 3), entry(2, of: 8, 5)] { _ = shown.note(entry) }
      let late = start + .seconds(60)
      func verdict(_ entry: StreamEntry, at time: Moment = start) -> ShownPublications.Verdict {
        shown.verdict(on: entry, at: time)
      }
      shown.note(isBehind: true)
      #expect(verdict(entry(1, of: 7, 3), at: late) == .isOlder)
      #expect(verdict(entry(2, of: 8, 4), at: late) == .isOlder)
      // What the relay says by itself, or a process that has begun anew.
      #expect(verdict(entry(3, of: 9, 1, "error")) == .waits)
      #expect(verdict(entry(4, of: 9, 2)) == .waits)
      #expect(shown.placeOfWaiting(at: start) == nil)
      #expect(verdict(entry(4, of: 9, 3), at: late) == .waits, "others have waited for longer")
      // Now all of them are read again.
      #expect(shown.placeOfWaiting(at: late) == id(3).predecessor)
      #expect(shown.placeOfWaiting(at: late) == nil)
      #expect(verdict(entry(3, of: 9, 1, "error"), at: late) == .showsWithoutData)
      for (own, phase) in [(7, "error"), (nil, "unknown")] as [(Int?, String)] {
        var other = shown
        #expect(other.verdict(on: entry(4, of: 9, 2, phase, data: own), at: late) == .shows, "it has begun anew")
      }
      #expect(verdict(entry(4, of: 9, 2, "error", inherited: 7), at: late) == .showsWithoutData)
      #expect(verdict(entry(5, of: 8, 5)) == .shows)
      #expect(shown.placeOfWaiting(at: late) == nil)
      // From here on, the order of the stream counts, and the relay's errors are shown at once.
      #expect(verdict(entry(6, of: 9, 3, "error")) == .shows)
      #expect(verdict(entry(7, of: 7, 2)) == .isOlder, "another relay, which is behind")
      #expect(verdict(entry(8, of: 9, 4)) == .waits)
      #expect(shown.placeOfWaiting(at: late) == id(8).predecessor)
      #expect(verdict(entry(8, of: 9, 4), at: late) == .shows)
      #expect(verdict(entry(9, of: 9, 5)) == .shows, "the process has begun anew")
    }

    @Test("what comes to a server that had nothing waits for as long as what was there from the beginning")
    func required_8_08_behindWithNothing() {
      let start = Moment.now
      var shown = ShownPublications()
      _ = shown.note(entry(1, of: 8, 5))
      shown.note(isBehind: true)
      let late = start + .seconds(60)
      #expect(shown.placeOfWaiting(at: late) == nil)
      #expect(shown.verdict(on: entry(1, of: 7, 3), at: late) == .waits)
      #expect(shown.placeOfWaiting(at: late + .seconds(1)) == nil)
      // What somebody else has written isn't shown before what it follows.
      #expect(shown.verdict(on: entry(2, of: nil, 0), at: late + .seconds(1)) == .waits)
      #expect(shown.placeOfWaiting(at: late + .seconds(2)) == id(1).predecessor)
    }

    @Test("what comes after entries that have waited isn't shown before they are read again")
    func required_8_08_readAgain() {
      var passed = 0
      let request = [StreamEvent.checked, .caughtUp, .checked, .checked].pass { _ in
        passed += 1
        return passed == 3 ? .entries(after: id(2)) : passed == 1 ? .check(at: .now) : nil
      }
      #expect(passed == 3)
      if case .entries(after: id(2))? = request {} else { Issue.record("\(String(describing: request))") }
    }

    @Test("a server that is behind takes nothing back of a process that has shown no data yet")
    func required_8_08_unloaded() {
      var shown = ShownPublications()
      let now = Moment.now
      for entry in [entry(1, of: 8, 5), entry(2, of: 9, 1, "error"), entry(3, of: 9, 2, "error")] {
        _ = shown.note(entry)
      }
      #expect(shown.verdict(on: entry(2, of: 9, 1, "error"), at: now) == .isOlder)
      var search = PlaceSearch(shown)
      search.note([entry(2, of: 9, 1, "error"), entry(1, of: 8, 5)], isBeginning: true)
      #expect(search.place == .isBehind)
      search = PlaceSearch(shown)
      search.note([entry(4, of: 9, 3), entry(3, of: 9, 2, "error")], isBeginning: false)
      #expect(search.place == .after(id(3)))
      // A mirror that has shown data since then knows nothing of it.
      _ = shown.note(entry(5, of: 8, 6))
      #expect(shown.unloaded == nil)
    }

    @Test("a process that has just begun takes no data back that its server has lost")
    func required_8_08_carriedData() {
      var shown = ShownPublications()
      let now = Moment.now
      _ = shown.note(entry(1, of: 8, 5, data: 100))
      #expect(shown.verdict(on: entry(2, of: 9, 1, "loading"), at: now) == .showsWithoutData)
      #expect(shown.verdict(on: entry(2, of: 9, 1, "error", inherited: 99), at: now) == .showsWithoutData)
      #expect(shown.verdict(on: entry(2, of: 9, 1, "loading", inherited: 101), at: now) == .shows)
      #expect(shown.verdict(on: entry(2, of: 9, 1, "error", data: 99), at: now) == .shows, "it has data of its own")
      #expect(shown.verdict(on: entry(2, of: 9, 1, "unknown"), at: now) == .shows, "it was reset")
      #expect(shown.verdict(on: entry(2, of: 8, 6, "loading"), at: now) == .shows, "it is the same process")
      let unknown = StreamEntry.made(id(2), ["phase", "error", "publication", "8-6", "inherited", "1"])
      #expect(shown.verdict(on: unknown, at: now) == .showsWithoutData, "its outlet has begun anew")
      for (data, verdict) in [(99, ShownPublications.Verdict.showsWithoutData), (101, .shows)] {
        #expect(shown.verdict(on: entry(2, of: 8, 6, "error", inherited: data), at: now) == verdict, "it has, too")
      }
      _ = shown.note(entry(2, of: 9, 1, "error", inherited: 99), hasData: false)
      #expect(shown.verdict(on: entry(3, of: 9, 2, "error", inherited: 100), at: now) == .showsWithoutData)
      _ = shown.note(entry(3, of: 9, 2, "unknown"))
      #expect(shown.verdict(on: entry(4, of: 9, 3, "loading"), at: now) == .shows)
    }

    @Test("the place in another server's stream is after the last entry that isn't newer")
    func required_8_06_place() {
      var shown = ShownPublications()
      for entry in [entry(1, of: 7, 3), entry(2, of: 8, 5)] { _ = shown.note(entry) }
      let place = { (entries: [StreamEntry]) -> PlaceSearch.Place? in
        var search = PlaceSearch(shown)
        for entry in entries.reversed() where search.place == nil { search.note([entry], isBeginning: false) }
        if search.place == nil { search.note([], isBeginning: true) }
        return search.place
      }
      let older = [entry(1, of: 7, 3), entry(2, of: 8, 4)]
      #expect(place([]) == .isBehind)
      #expect(place(older) == .isBehind)
      #expect(place(older + [entry(3, of: 9, 1)]) == .isBehind)
      #expect(place(older + [entry(3, of: 8, 5)]) == .after(id(3)))
      #expect(place(older + [entry(3, of: 8, 5), entry(4, of: 9, 1)]) == .after(id(3)))
      #expect(place(older + [entry(3, of: 8, 7)]) == .after(id(2)))
      // Another process has taken the key over again, and writes its last state anew.
      #expect(place(older + [entry(3, of: 8, 5), entry(4, of: 7, 3)]) == .after(id(3)))
      #expect(shown.verdict(on: entry(4, of: 7, 3), at: .now) == .shows)
      #expect(place([entry(1, of: 7, 2), entry(2, of: 7, 3)]) == .isBehind, "it may be the one before")
      // The oldest ones were removed, and somebody else has written, too.
      #expect(place([entry(3, of: 8, 7), entry(4, of: nil, 0), entry(5, of: 8, 8)]) == .after(id(3).predecessor))
      #expect(place([entry(2, of: 7, 3), entry(4, of: 8, 7)]) == .after(id(4).predecessor))
      #expect(EntryID(epoch: 5, version: 0).predecessor == EntryID(epoch: 4, version: .max))
    }

    private func id(_ version: UInt64) -> EntryID { EntryID(epoch: 1, version: version) }

    private func entry(
      _ version: UInt64, of epoch: UInt64?, _ publication: UInt64, _ phase: String = "loaded", data: Int? = nil,
      inherited: Int? = nil
    ) -> StreamEntry {
      let fields =
        ["phase", phase] + (epoch.map { ["publication", "\($0)-\(publication)"] } ?? [])
        + ((data ?? inherited).map { ["value", "1", "since", "\($0)"] } ?? [])
        + (inherited == nil ? [] : ["inherited", "1"])
      return StreamEntry.made(id(version), fields)
    }
  }

  extension ShownPublications {
    /// The place after which the entries are that are to be read again; nil if none are.
    fileprivate mutating func placeOfWaiting(at now: Moment) -> EntryID? {
      if case .entries(let place) = request(at: now) { place } else { nil }
    }
  }

  extension StreamEntry {
    /// An entry as a server sends it.
    static func made(_ id: EntryID, _ fields: [String]) -> StreamEntry {
      let texts = { (texts: [String]) in texts.map { "$\($0.utf8.count)\r\n\($0)\r\n" }.joined() }
      let reply = "*1\r\n*2\r\n\(texts(["\(id)"]))*\(fields.count)\r\n\(texts(fields))"
      let replies = ReplyReader()?.replies(completedBy: Array(reply.utf8)[...]).replies
      guard let entry = StreamEntry.entries(replies?.first).first else { fatalError("the reply isn't complete") }
      return entry
    }
  }
#endif
