#if DEBUG
  import SubPubTesting
  import Testing

  @testable import SubPub

  @Suite("The parts of a combined publisher are collected, and then published together")
  struct CombinedPartsTests {
    private func publication(_ number: Int) -> Publication<Int> {
      Publication(.loaded(number), source: PublisherID(label: nil), provenance: nil)
    }

    @Test("any number of first parts makes one transition, and each later one makes one")
    func required_5_22_collected() {
      let parts = CombinedParts(count: 3, nil)
      func values() -> [Int?]? { parts.publisher.state.value?.map { $0?.anyValue as? Int } }
      for index in 0..<3 { parts.replace(index, with: publication(index), ifMissing: true) }
      // A delivery has come, and then the state from before it.
      parts.replace(1, with: publication(10))
      parts.replace(1, with: publication(11), ifMissing: true)
      #expect((parts.publisher.current.version, values() == nil) == (0, true))
      parts.begin()
      #expect((parts.publisher.current.version, values()) == (1, [0, 10, 2]))
      parts.replace(2, with: publication(20))
      parts.replace(0, with: publication(21), ifMissing: true)
      parts.begin()
      #expect((parts.publisher.current.version, values()) == (2, [0, 10, 20]))
    }
  }
#endif
