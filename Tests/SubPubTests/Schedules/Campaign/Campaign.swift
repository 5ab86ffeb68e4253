import Foundation

/// Runs a scenario with many seeds, on threads of its own.
final class Campaign: @unchecked Sendable {
  private let scenario: Scenario
  private let decider = SeededDecider()
  private let scheduler: Scheduler
  /// Accessed by the strand that has the turn or, while no strand has it, by the campaign's own thread.
  private var simulation: Simulation?

  private init(_ scenario: Scenario) {
    self.scenario = scenario
    scheduler = Scheduler(decider, clients: Scenario.clients, workers: Scenario.workers)
  }

  static func run(_ scenario: Scenario, _ seeds: SeedRange) async -> Report {
    await Scheduler.onThread { Campaign(scenario).report(seeds) }
  }

  private func report(_ seeds: SeedRange) -> Report {
    scheduler.employ {
      self.simulation?.runJob()
    } when: {
      self.simulation?.hasJob ?? false
    }
    var report = Report(scenario.name)
    for seed in seeds.seeds {
      seeds.announce(seed, of: scenario)
      decider.seed(seed)
      scheduler.reset()
      let simulation = Simulation(scheduler)
      self.simulation = simulation
      guard simulation.play(scenario.setUp) else {
        // The thread of the blocked strand is lost, so no further seed can be tried.
        report.fail(["1.04: blocked forever"], seed: seed, scheduler.trace)
        return report
      }
      report.add(simulation, seed: seed)
      simulation.end()
    }
    simulation = nil
    scheduler.end()
    return report
  }
}

/// The seeds to try: `STRESS_SEEDS` of them, from `STRESS_SEED` on.
///
/// With `STRESS_PRINT=1` each is printed before it is tried, so that it is known if it crashes the process.
struct SeedRange: Sendable {
  let first: UInt64
  let count: Int
  private let isPrinting: Bool

  init(first: UInt64, count: Int) {
    isPrinting = false
    self.first = first
    self.count = count
  }

  init(_ environment: [String: String] = ProcessInfo.processInfo.environment) {
    #if DEBUG
      let usual = 500
    #else
      let usual = 2_000
    #endif
    first = environment["STRESS_SEED"].flatMap(UInt64.init) ?? 1
    isPrinting = environment["STRESS_PRINT"] == "1"
    count = environment["STRESS_SEEDS"].flatMap(Int.init) ?? usual
  }

  var seeds: some Sequence<UInt64> { (0..<UInt64(count)).lazy.map { [first] in first &+ $0 } }

  func announce(_ seed: UInt64, of scenario: Scenario) {
    if isPrinting { FileHandle.standardError.write(Data("\(scenario.name): seed \(seed)\n".utf8)) }
  }
}
