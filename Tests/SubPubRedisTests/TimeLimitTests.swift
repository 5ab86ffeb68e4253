#if Redis && DEBUG
  @testable import SubPubRedis
  import Testing

  @Suite("8 Across processes: how long a reply may take")
  struct TimeLimitTests {
    @Test("while its bytes keep arriving, a reply isn't late before twice the timeout, and then it is too slow")
    func required_8_07_arriving() {
      let start = ContinuousClock.now
      let limit = TimeLimit(limit: .seconds(5), arrival: .seconds(10))
      func deadline(_ limit: TimeLimit, _ first: Int, _ last: Int) -> (seconds: Double, isTooSlow: Bool) {
        let (time, isTooSlow) = limit.deadline(
          after: start, arriving: (start + .seconds(first), start + .seconds(last)))
        return (start.duration(to: time) / .seconds(1), isTooSlow)
      }
      #expect(limit.deadline(after: start, arriving: nil) == (start + .seconds(5), false))
      #expect(deadline(limit, 1, 1) == (6, false), "nothing more has arrived since")
      #expect(deadline(limit, 1, 4) == (9, false))
      #expect(deadline(limit, 1, 9) == (11, true))
      // Only where it matters that large replies arrive.
      #expect(deadline(TimeLimit(limit: .seconds(5)), 1, 4) == (5, false))
      // The server may wait for entries before it replies.
      #expect(deadline(TimeLimit(limit: .seconds(10), named: .seconds(5), arrival: .seconds(10)), 1, 2) == (10, false))
    }
  }
#endif
