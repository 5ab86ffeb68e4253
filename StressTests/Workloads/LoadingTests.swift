import SubPub
import SubPubTesting
import Support
import Testing

extension StressTests {
  @Test("loads are shared, superseded, cancelled and rolled back, and a late result is never published")
  func stochastic_5_01_5_02_5_03_5_04_5_05_5_07_5_08_5_09_5_15_5_16_5_17_5_19_loading() async {
    await Workload.loading.run(Loading.perform)
  }
}

/// Threads refresh, cancel, log out, invalidate, set, poll, turn pages, and answer the loaders of several managers, and
/// churn those of a family.
enum Loading {
  private static let operations = 400

  @Sendable static func perform(_ round: Round) async -> RoundResult {
    let managers = LoadProfile.allCases.enumerated().map { $1.makeManager(round, 70 + 2 * $0) }
    var random = round.random(69)
    let family = FamilyChurn(&random)
    _ = await round.threads.run { index in
      var random = round.random(index)
      for _ in 0..<operations {
        random.pick(managers).act(&random)
        family.act(&random)
      }
    }
    var result = RoundResult()
    result.violations = family.finish()
    for manager in managers { result.loads.append(await manager.finish()) }
    return result
  }
}
