import Testing

/// Real threads take turns at the real library; at every scheduling point a seed decides who is next.
@Suite(
  "Whatever the schedule, the contract holds and the history is linearizable", .serialized, .timeLimit(.minutes(60)))
struct ScheduleTests {
  @Test("the publishing threads deliver for each other")
  func stochastic_1_02_2_01_2_03_2_07_3_02_4_01_4_02_immediate() async { await hold(.immediate) }

  private func hold(_ scenario: Scenario, _ location: SourceLocation = #_sourceLocation) async {
    let report = await Campaign.run(scenario, SeedRange())
    print(report)
    if let failure = report.failure { Issue.record(Comment(rawValue: failure), sourceLocation: location) }
    #expect(report.overlap >= 0.9, "too few histories overlap", sourceLocation: location)
  }
}
