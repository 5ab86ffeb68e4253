import Dispatch
import Foundation

/// Explores a cast of clients at the real library, on threads of its own.
final class Explorer: @unchecked Sendable {
  /// What an exploration has found.
  struct Result: Sendable, CustomStringConvertible {
    /// Distinct states, each with the strand that runs.
    var states = 0
    /// Histories, to their end or to a state that was reached before.
    var histories = 0
    /// The choices of the longest history.
    var longest = 0
    /// The first history that breaks a rule, with everything that happened in it.
    var failure: String?

    var description: String { "\(states) distinct states, \(histories) histories, the longest of \(longest) choices" }
  }

  private let exploration: Exploration
  private let scheduler: Scheduler
  /// Touched by the scheduler's strands and, while none of them has a turn, by the explorer's own thread.
  private var simulation: Simulation?

  private init(bound: Int) {
    exploration = Exploration(bound: bound)
    scheduler = Scheduler(exploration, clients: Scenario.clients, workers: Scenario.workers)
  }

  private static let places = DispatchSemaphore(value: ProcessInfo.processInfo.activeProcessorCount)

  static func explore(bound: Int, _ cast: @escaping @Sendable (Simulation) -> Void) async -> Result {
    await withCheckedContinuation { finished in
      Thread.detachNewThread {
        places.wait()
        let result = Explorer(bound: bound).explore(cast)
        places.signal()
        finished.resume(returning: result)
      }
    }
  }

  private func explore(_ cast: (Simulation) -> Void) -> Result {
    scheduler.employ {
      self.simulation?.runJob()
    } when: {
      self.simulation?.hasJob ?? false
    }
    var result = Result()
    while exploration.begin() {
      scheduler.reset()
      let simulation = Simulation(scheduler, isExplored: true)
      self.simulation = simulation
      let problems = play(simulation, cast)
      result.histories += 1
      result.longest = max(result.longest, exploration.length)
      result.states = exploration.states
      if let problems, problems.isEmpty {
        simulation.end()
        continue
      }
      result.failure = "\((problems ?? ["1.04: blocked for good"]).joined(separator: "\n"))\n\(scheduler.trace)"
      // If somebody is blocked for good, its thread is, too.
      if problems == nil { return result }
      simulation.end()
      break
    }
    simulation = nil
    scheduler.end()
    return result
  }

  /// One history, and what is wrong with it. Nil if it doesn't come to its end.
  private func play(_ simulation: Simulation, _ cast: (Simulation) -> Void) -> [String]? {
    cast(simulation)
    guard scheduler.run(simulation.clients) else { return nil }
    if !exploration.isKnown { simulation.checkAtRest() }
    let isKnown = exploration.isKnown
    guard scheduler.run([{ simulation.releasePublisher() }]) else { return nil }
    if !isKnown { simulation.checkAtEnd() }
    return simulation.problems
  }
}
