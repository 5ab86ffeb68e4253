import SubPub
import SubPubTesting
import Support
import Testing

extension StressTests {
  @Test("loads are shared, superseded, cancelled and rolled back, and a late result is never published")
  func stochastic_5_01_5_02_5_03_5_04_5_05_5_07_5_08_5_09_loading() async {
    await Workload.loading.run(Loading.perform)
  }
}

/// Threads refresh, cancel, log out, turn pages, and answer the loaders of several managers.
enum Loading {
  private static let operations = 400

  @Sendable static func perform(_ round: Round) async -> RoundResult {
    let managers = LoadProfile.allCases.enumerated().map { $1.makeManager(round, 70 + 2 * $0) }
    _ = await round.threads.run { index in
      var random = round.random(index)
      for _ in 0..<operations { random.pick(managers).act(&random) }
    }
    var result = RoundResult()
    for manager in managers { result.loads.append(await manager.finish()) }
    return result
  }
}
