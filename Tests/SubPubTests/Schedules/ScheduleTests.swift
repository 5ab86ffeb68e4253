import Testing

/// Real threads take turns in the library; at every scheduling point a seed decides which thread is next.
@Suite("The contract holds for every schedule, and the history is linearizable", .timeLimit(.minutes(240)))
struct ScheduleTests {
  @Test("the publishing threads deliver for each other")
  func stochastic_1_02_2_01_2_03_2_07_3_02_4_01_4_02_immediate() async { await hold(.immediate) }

  @Test("on a serial queue, and inside other work on it")
  func stochastic_1_02_2_07_3_03_4_03_serialQueue() async { await hold(.serialQueue) }

  @Test("in a lane that several threads serve")
  func stochastic_1_02_2_02_3_02_4_01_concurrentQueue() async { await hold(.concurrentQueue) }

  @Test("with a lane for each subscription")
  func stochastic_2_02_2_08_3_02_independentLanes() async { await hold(.independentLanes) }

  @Test("on task executors")
  func stochastic_1_02_2_02_2_05_3_02_executors() async { await hold(.executors) }

  @Test("on actors, one of which dies")
  func stochastic_2_03_2_05_3_03_actor() async { await hold(.actor) }

  @Test("tasks iterate")
  func stochastic_1_02_6_01_6_02_6_03_sequences() async { await hold(.sequences) }

  @Test("with every kind of lane at once")
  func stochastic_1_02_1_03_2_01_2_03_mixed() async { await hold(.mixed) }

  @Test("all clients cancel all subscriptions")
  func stochastic_3_01_3_02_3_03_4_03_cancelStorm() async { await hold(.cancelStorm) }

  @Test("one object subscribes again and again")
  func stochastic_2_02_2_06_3_02_replacement() async { await hold(.replacement) }

  @Test("the publisher is released while states are pending")
  func stochastic_3_05_3_06_6_03_release() async { await hold(.release) }

  @Test("tasks wait for deliveries and for lanes")
  func stochastic_3_04_3_07_waiting() async { await hold(.waiting) }

  @Test("bounded buffers overflow")
  func stochastic_1_03_2_01_2_04_bounds() async { await hold(.bounds) }

  private func hold(_ scenario: Scenario, _ location: SourceLocation = #_sourceLocation) async {
    let report = await Campaign.run(scenario, SeedRange())
    print(report)
    if let failure = report.failure { Issue.record(Comment(rawValue: failure), sourceLocation: location) }
    // The share says nothing about few histories.
    if report.seeds >= 200 { #expect(report.overlap >= 0.9, "too few histories overlap", sourceLocation: location) }
  }
}
