#if Redis
  import Foundation
  import SubPubRedis
  import Testing

  @Suite("What another process has sent is checked")
  struct RedisDamageTests {
    @Test("health with a count or a time that can't be one can't be decoded")
    func required_5_29_8_07_health() throws {
      let health = RedisHealth(
        isConnected: true, isWriting: true, lastContact: .seconds(1), lag: .seconds(2), reconnects: 3, pending: 4)
      let encoder = JSONEncoder()
      encoder.outputFormatting = .sortedKeys
      let text = String(decoding: try encoder.encode(health), as: UTF8.self)
      #expect(try JSONDecoder().decode(RedisHealth.self, from: Data(text.utf8)) == health)
      let numbers = [
        ("lastContact", "1", ["-1", "1e300", "1.8e20"]), ("lag", "2", ["-0.1", "1e300"]),
        ("reconnects", "3", ["-1", "\(Int.max)"]), ("pending", "4", ["-1", "\(Int.max)"]),
      ]
      for (key, good, damaged) in numbers {
        #expect(text.contains("\"\(key)\":\(good)"), "\(text)")
        for number in damaged {
          let text = text.replacing("\"\(key)\":\(good)", with: "\"\(key)\":\(number)")
          let error = #expect(throws: DecodingError.self, "\(text)") {
            try JSONDecoder().decode(RedisHealth.self, from: Data(text.utf8))
          }
          guard case .dataCorrupted? = error else {
            Issue.record("\(text): \(String(describing: error))")
            continue
          }
        }
      }
    }
  }
#endif
