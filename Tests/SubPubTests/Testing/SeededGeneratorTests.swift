import SubPubTesting
import Testing

extension TestingKitTests {
  @Suite("A seeded generator gives the same numbers for the same seed")
  struct SeededGeneratorTests {
    @Test("it is SplitMix64: the published test vector comes out")
    func vector() {
      var generator = SeededGenerator(seed: 1_234_567)
      let numbers = (0..<5).map { _ in generator.next() }
      #expect(
        numbers == [
          6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423,
          4_593_380_528_125_082_431, 16_408_922_859_458_223_821,
        ])
    }

    @Test("neighbouring seeds begin differently")
    func neighbours() {
      let first = Set(
        (0..<1_000 as Range<UInt64>).map { seed in
          var generator = SeededGenerator(seed: seed)
          return generator.next()
        })
      #expect(first.count == 1_000)
    }
  }
}
