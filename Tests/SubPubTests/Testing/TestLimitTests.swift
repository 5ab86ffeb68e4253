import Support
import Testing

extension TestingKitTests {
  @Suite("The limit of our own tests ends a wait that hangs, and no other", .hangLimit)
  struct TestLimitTests {
    /// What is left of a limit of 100.
    private func left(at now: UInt64, since begin: UInt64, lastProgress: UInt64, lastHang: UInt64 = 0) -> UInt64 {
      TestLimit.left(of: 100, at: now, since: begin, lastProgress: lastProgress, lastHang: lastHang)
    }

    @Test("the limit counts from the last progress of any test")
    func required_7_05_progress() {
      #expect(left(at: 1_000, since: 1_000, lastProgress: 900) == 100)
      #expect(left(at: 1_099, since: 1_000, lastProgress: 900) == 1)
      #expect(left(at: 1_100, since: 1_000, lastProgress: 900) == 0)
      #expect(left(at: 5_000, since: 1_000, lastProgress: 4_950) == 50)
      #expect(left(at: 5_050, since: 1_000, lastProgress: 4_950) == 0)
    }

    @Test("if one wait hangs, what its test does then prolongs no other that has waited as long")
    func required_7_05_severalHang() {
      #expect(left(at: 1_110, since: 1_000, lastProgress: 1_105, lastHang: 1_100) == 0)
      #expect(left(at: 1_110, since: 1_001, lastProgress: 1_105, lastHang: 1_100) == 95)
    }
  }
}
