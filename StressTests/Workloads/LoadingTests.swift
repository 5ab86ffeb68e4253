import SubPub
import Testing

extension StressTests {
  @Test("loads are shared, overtaken, given up and restored, and nothing late is ever published")
  func stochastic_5_01_5_02_5_03_5_04_5_05_5_07_5_08_5_09_loading() async {
    await Workload.loading.run(Loading.perform)
  }
}

/// Threads refresh, give up, log out, turn pages and answer the loaders of several managers.
enum Loading {
  private static let operations = 400

  @Sendable static func perform(_ round: Round) async -> RoundResult {
    let stages = LoadProfile.allCases.enumerated().map { $1.stage(round, 70 + 2 * $0) }
    _ = await round.crew.run { index in
      var random = round.random(index)
      for _ in 0..<operations { stages[random.draw(stages.count)].act(&random) }
    }
    var result = RoundResult()
    for stage in stages { result.loads.append(await stage.finish()) }
    return result
  }
}
