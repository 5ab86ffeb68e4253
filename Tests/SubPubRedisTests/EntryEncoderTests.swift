#if Redis && DEBUG
  import SubPub
  @testable import SubPubRedis
  import Testing

  @Suite("What an outlet writes of a state")
  struct EntryEncoderTests {
    private var encoder = EntryEncoder(RedisCoder<Int>.json(), RedisEndpoint(), key: "key")

    /// The value and its time, as the entry has them.
    private mutating func encoded(_ state: LoadState<Int>, since: Int64? = nil, at now: Int64) throws -> [String?] {
      let published = PublishedState(
        state: state, origin: .published, since: since, id: PublicationID(epoch: 7, version: 3), isDataInherited: false,
        version: 3)
      let made = encoder.entry(for: published, token: 5, at: now)
      let entry = try #require(made)
      var bytes: [UInt8] = []
      entry.arguments.encode(to: &bytes)
      let words = String(decoding: bytes, as: UTF8.self).split(separator: "\r\n").filter {
        !"*$".contains($0.prefix(1))
      }
      return ["value", "since", "inherited"].map { name in
        words.firstIndex(of: Substring(name)).map { String(words[$0 + 1]) }
      }
    }

    @Test("data keeps its time while it is only carried along, also if the publisher doesn't measure its age")
    mutating func required_8_01_encodedAge() throws {
      for (state, since, now, expected) in [
        (.loaded(1), nil, 100, ["1", "100", nil]), (.loading(previous: 1), nil, 200, ["1", "100", nil]),
        (.loaded(2), nil, 300, ["2", "300", nil]), (.loaded(3), 50, 400, ["3", "50", nil]),
        (.loading(previous: nil), nil, 500, [nil, nil, nil]),
      ] as [(LoadState<Int>, Int64?, Int64, [String?])] {
        let found = try encoded(state, since: since, at: now)
        #expect(found == expected, "\(state)")
      }
    }

    @Test("data that an outlet doesn't know, because the server has lost it, isn't none")
    mutating func required_8_01_8_08_encodedUnknown() throws {
      for (state, expected) in [
        (.error(CancellationError(), previous: nil), [nil, nil, "1"]), (.loaded(1), ["1", "200", nil]),
        (.error(CancellationError(), previous: nil), [nil, nil, nil]),
      ] as [(LoadState<Int>, [String?])] {
        let found = try encoded(state, at: 200)
        #expect(found == expected, "\(state)")
      }
      // Of a slow last entry, only the id is read.
      for (fields, isKnown) in [(["phase", "unknown"], true), ([], false)] {
        encoder.begin(after: StreamEntry.made(EntryID(epoch: 4, version: 9), fields))
        #expect(try encoded(.loading(previous: nil), at: 300) == [nil, nil, isKnown ? nil : "1"])
      }
    }

    @Test("an error in place of a state that is too large carries no data as large", arguments: [10, 1_000_000])
    func required_8_04_8_06_substitute(dataByteCount: Int) {
      let settings = OutletMachine.Settings(key: "key", endpoint: RedisEndpoint(), maxLength: 100)
      let entry = OutletEntry(
        id: EntryID(epoch: 5, version: 1), arguments: RedisCommand("5-1"),
        publication: PublicationID(epoch: 1, version: 1), sent: 0,
        before: EncodedData(bytes: [UInt8](repeating: 55, count: dataByteCount)))
      var bytes: [UInt8] = []
      entry.substitute(for: settings, isLate: false, data: 1_000_000).arguments.encode(to: &bytes)
      let text = String(decoding: bytes, as: UTF8.self)
      #expect(text.contains("7777777777") == (dataByteCount == 10) && text.count < 1_000)
      #expect(text.contains("inherited") == (dataByteCount != 10))
    }

    @Test("the data that the key had is there until the publisher has its own, or was reset", arguments: [true, false])
    mutating func required_8_01_encodedInheritance(isReset: Bool) throws {
      let last = StreamEntry.made(EntryID(epoch: 4, version: 9), ["value", "8", "since", "50"])
      encoder.begin(after: last)
      for (state, expected) in [
        (.loading(previous: nil), ["8", "50", "1"]),
        isReset ? (.unknown, [nil, nil, nil]) : (.loaded(1), ["1", "200", nil]),
        (.loading(previous: nil), [nil, nil, nil]),
      ] as [(LoadState<Int>, [String?])] {
        let found = try encoded(state, at: 200)
        #expect(found == expected, "\(state)")
      }
    }
  }
#endif
