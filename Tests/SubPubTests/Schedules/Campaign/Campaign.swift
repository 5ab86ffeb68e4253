import Dispatch
import Foundation
import SubPubTesting

/// Runs a scenario with many seeds, on threads of its own. No more scenarios at a time than there are processors: other
/// tests need a share of these, too.
final class Campaign: @unchecked Sendable {
  private let scenario: Scenario
  private let decider = SeededDecider()
  private let scheduler: Scheduler
  /// Touched by the scheduler's strands and, while none of them has a turn, by the campaign's own thread.
  private var simulation: Simulation?

  private init(_ scenario: Scenario) {
    self.scenario = scenario
    scheduler = Scheduler(decider, clients: Scenario.clients, workers: Scenario.workers)
  }

  private static let places = DispatchSemaphore(value: ProcessInfo.processInfo.activeProcessorCount)

  static func run(_ scenario: Scenario, _ seeds: SeedRange) async -> Report {
    await withCheckedContinuation { finished in
      Thread.detachNewThread {
        places.wait()
        let report = Campaign(scenario).report(seeds)
        places.signal()
        finished.resume(returning: report)
      }
    }
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
      guard play(simulation) else {
        // Somebody is blocked for good, and with it a thread: nothing more can be tried.
        report.fail(["1.04: blocked for good"], seed: seed, scheduler.trace)
        return report
      }
      report.add(simulation, seed: seed)
      simulation.end()
    }
    simulation = nil
    scheduler.end()
    return report
  }

  /// One history, and what is to be said of it. False if it doesn't come to its end.
  private func play(_ simulation: Simulation) -> Bool {
    scenario.cast(simulation)
    guard scheduler.run(simulation.clients) else { return false }
    simulation.checkAtRest()
    guard scheduler.run([{ simulation.releasePublisher() }]) else { return false }
    simulation.checkAtEnd()
    return true
  }
}
