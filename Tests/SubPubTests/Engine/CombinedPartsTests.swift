#if DEBUG
  import SubPubTesting
  import Testing

  @testable import SubPub

  @Suite("The parts of a combined publisher are replaced one by one")
  struct CombinedPartsTests {
    private func part(_ number: Int) -> Publication<Int> {
      Publication(.loaded(number), source: PublisherID(label: nil), provenance: nil)
    }

    private func values(_ parts: CombinedParts) -> [Int?] { parts.all.map { $0.publication?.anyValue as? Int } }

    @Test("each event replaces exactly one part, and the end comes with that of the last source")
    func model_5_22_3_09_parts() {
      var parts = CombinedParts()
      #expect(parts.isFinished)
      for number in 0..<3 { parts.add(part(number)) }
      #expect((values(parts), parts.last === parts.all[2], parts.isFinished) == ([0, 1, 2], true, false))
      let former = parts.all[1]
      #expect(parts.take(.part(part(10), at: 1)) === former)
      #expect((values(parts), parts.last === parts.all[1]) == ([0, 10, 2], true))
      for isLast in [false, false, true] {
        #expect(parts.take(.finished) == nil)
        #expect(parts.isFinished == isLast)
      }
    }
  }
#endif
