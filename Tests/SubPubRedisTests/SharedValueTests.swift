#if Redis && DEBUG
  import SubPub
  @testable import SubPubRedis
  import Testing

  @Suite("8.10 Values that several mirrors of a key decode")
  struct SharedValueTests {
    /// Each decoding makes a new object.
    private final class Text: Codable, Sendable {
      let text: String

      init(_ text: String) { self.text = text }
    }

    private let bytes = Array("{\"text\":\"seven\"}".utf8)

    @Test("coders for JSON decode once for values of the same type, and others each by itself")
    func required_8_10_once() throws {
      let value = SharedValue(among: 10)
      let first = try value.value(of: bytes, by: RedisCoder<Text>.json())
      #expect(first.text == "seven")
      #expect(try value.value(of: bytes, by: RedisCoder<Text>.json()) === first)
      #expect(try value.value(of: bytes, by: RedisCoder<[String: String]>.json()) == ["text": "seven"])
      let own = RedisCoder<Text>(encode: { Array($0.text.utf8) }, decode: { Text("\($0.count)") })
      #expect(try value.value(of: bytes, by: own).text == "16")
      #expect(try value.value(of: bytes, by: RedisCoder<Text>.json()).text == "seven")
    }

    @Test("mirrors of several types decode once for each, in whatever order they come")
    func required_8_10_severalTypes() throws {
      let value = SharedValue(among: 10)
      let first = try value.value(of: bytes, by: RedisCoder<Text>.json())
      _ = try value.value(of: bytes, by: RedisCoder<[String: String]>.json())
      _ = try value.value(of: bytes, by: RedisCoder<Text>.json(maxBytes: 16))
      #expect(try value.value(of: bytes, by: RedisCoder<Text>.json()) === first)
    }

    @Test("a value is kept until all mirrors have taken it, and no longer")
    func required_8_10_dropped() throws {
      let value = SharedValue(among: 2)
      weak var kept: Text?
      do {
        let first = try value.value(of: bytes, by: RedisCoder<Text>.json())
        kept = first
      }
      #expect(kept != nil)
      #expect(try value.value(of: bytes, by: RedisCoder<Text>.json()).text == "seven")
      #expect(kept == nil)
    }

    @Test(
      "the mirrors of a key share the value of one entry, and of more if they are small",
      arguments: [(1, 100_000, 2, true), (2, 100_000, 2, false), (9, 100, 2, true), (1, 100, 1, false)])
    func required_8_10_size(count: UInt64, bytes: Int, followers: Int, isShared: Bool) {
      let value = String(repeating: "7", count: bytes)
      let entries = (1...count).map { StreamEntry.made(EntryID(epoch: 5, version: $0), ["value", value]) }
      var stream = FollowedStream<Int>()
      for follower in 0..<followers { stream.add(follower, after: .zero) }
      _ = stream.request(by: .resting)
      let taken = stream.take(entries, from: .resting)
      #expect(taken.count == followers && taken[0].entries.allSatisfy { ($0.shared != nil) == isShared })
    }

    @Test("a value that one coder takes is still too large for another one, and an error isn't kept")
    func required_8_05_limitOfEach() throws {
      let value = SharedValue(among: 10)
      _ = try value.value(of: bytes, by: RedisCoder<Text>.json())
      #expect(throws: RedisError.Reason.tooLarge(bytes: 16, limit: 15)) {
        try value.value(of: bytes, by: RedisCoder<Text>.json(maxBytes: 15))
      }
      #expect(throws: (any Error).self) { try value.value(of: bytes, by: RedisCoder<Int>.json()) }
      #expect(try value.value(of: bytes, by: RedisCoder<Text>.json(maxBytes: 16)).text == "seven")
    }
  }
#endif
