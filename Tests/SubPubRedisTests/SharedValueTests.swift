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

    private let value = SharedValue(Array("{\"text\":\"seven\"}".utf8))

    @Test("coders for JSON decode once for values of the same type, and others each by itself")
    func required_8_10_once() throws {
      let first = try value.value(by: RedisCoder<Text>.json())
      #expect(first.text == "seven")
      #expect(try value.value(by: RedisCoder<Text>.json()) === first)
      #expect(try value.value(by: RedisCoder<[String: String]>.json()) == ["text": "seven"])
      let own = RedisCoder<Text>(encode: { Array($0.text.utf8) }, decode: { Text("\($0.count)") })
      #expect(try value.value(by: own).text == "16")
      #expect(try value.value(by: RedisCoder<Text>.json()).text == "seven")
    }

    @Test("a value that one coder takes is still too large for another one, and an error isn't kept")
    func required_8_05_limitOfEach() throws {
      _ = try value.value(by: RedisCoder<Text>.json())
      #expect(throws: RedisError.Reason.tooLarge(bytes: 16, limit: 15)) {
        try value.value(by: RedisCoder<Text>.json(maxBytes: 15))
      }
      #expect(throws: (any Error).self) { try value.value(by: RedisCoder<Int>.json()) }
      #expect(try value.value(by: RedisCoder<Text>.json(maxBytes: 16)).text == "seven")
    }
  }
#endif
