#if Redis && DEBUG
  @testable import SubPubRedis
  import Testing

  @Suite("8 Across processes: which streams are asked for apart from the others")
  struct LivelyStreamsTests {
    private let start = Moment.now
    private let key = Array("key".utf8)

    @Test("a stream that was missed is asked for apart until the next wait, and one with entries for a while")
    func required_8_10_lively() {
      var streams = LivelyStreams()
      streams.add(key, at: start)
      #expect(streams.contains(key))
      streams.settle(at: start)
      #expect(streams.isEmpty)
      streams.noteEntries(of: key, among: 20, at: start)
      #expect(streams.isEmpty, "all of them are asked for together")
      streams.noteEntries(of: key, among: 10_000, at: start)
      streams.add(key, at: start)
      streams.settle(at: start + .seconds(1))
      #expect(streams.contains(key))
      streams.noteEntries(of: key, among: 10_000, at: start + .seconds(1))
      streams.settle(at: start + .milliseconds(2_500))
      #expect(streams.contains(key))
      streams.settle(at: start + .seconds(3))
      #expect(streams.isEmpty)
    }

    @Test("the wait begins anew if it misses many")
    func required_8_10_tooManyMissed() {
      var streams = LivelyStreams()
      for number in UInt8(0)..<200 { streams.noteEntries(of: [number], among: 10_000, at: start) }
      for number in UInt8(200)...240 { streams.add([number], at: start) }
      #expect(!streams.areTooMany(besides: 1_000, at: start), "those that stay lively don't count")
      #expect(streams.areTooMany(besides: 10, at: start))
    }

    @Test("a lost connection makes batches smaller unless the reply before had room for more, and they grow again")
    func required_8_06_batchSize() {
      var size = BatchSize()
      let most = size.count
      size.noteReply(isFull: false)
      size.noteLostConnection()
      #expect(size.count == most)
      size.noteLostConnection()  // Before the first reply.
      #expect(size.count == most / 2)
      size.noteReply(isFull: true)
      size.noteLostConnection()
      #expect(size.count == most / 4)
      for _ in 0..<128 { size.noteReply(isFull: true) }
      #expect(size.count == most)
      size.noteTooSlow()
      #expect(size.count == 1)
    }

    @Test("entries of one stream that take too long after different places are all left out")
    func required_8_07_slowPlaces() {
      var streams = SlowStreams()
      let places = [1, 5, 7].map { EntryID(epoch: 5, version: $0) }
      streams.noteLoss([key])
      for place in places.prefix(2) { streams.noteSlowEntry(of: key, after: place) }
      #expect(places.map { streams.step(for: key, after: $0) } == [.skips, .skips, .probes])
      streams.remove(key)
      #expect(places.map { streams.step(for: key, after: $0) } == [.reads, .reads, .reads])
    }
  }
#endif
