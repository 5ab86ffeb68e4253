import Testing

@Suite("The same seed makes the same history", .timeLimit(.minutes(5)))
struct DeterminismTests {
  @Test("twice in one process, on other threads, and alone as well as among others", arguments: Scenario.all)
  func required_7_02_sameHistory(_ scenario: Scenario) async {
    let seeds = SeedRange(first: 7, count: 50)
    let (first, second) = (await Campaign.run(scenario, seeds), await Campaign.run(scenario, seeds))
    #expect(first.digest == second.digest)
    #expect(first.steps == second.steps)
    #expect(first.distinct == 50)
    // The last of the fifty, by itself.
    #expect(await Campaign.run(scenario, SeedRange(first: 56, count: 1)).last == first.last)
  }
}
