/// Explores the interleavings of a few clients in the library, on threads of its own.
final class Explorer: @unchecked Sendable {
  /// The result of an exploration.
  struct Result: Sendable, CustomStringConvertible {
    /// How many states differ, each with the strand that runs.
    var states = 0
    /// How many histories ran, to their end or to a state that was reached before.
    var histories = 0
    /// How many choices the longest history has.
    var longest = 0
    /// The first history that breaks a rule, with all its events.
    var failure: String?

    var description: String { "\(states) distinct states, \(histories) histories, the longest of \(longest) choices" }
  }

  private let exploration: Exploration
  private let scheduler: Scheduler
  /// Accessed by the strand that has the turn or, while no strand has it, by the explorer's own thread.
  private var simulation: Simulation?

  private init(bound: Int) {
    exploration = Exploration(bound: bound)
    scheduler = Scheduler(exploration, clients: Scenario.clients, workers: Scenario.workers)
  }

  static func explore(bound: Int, _ setUp: @escaping @Sendable (Simulation) -> Void) async -> Result {
    await Scheduler.onThread { Explorer(bound: bound).explore(setUp) }
  }

  private func explore(_ setUp: (Simulation) -> Void) -> Result {
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
      let hasEnded = simulation.play(setUp) { self.exploration.isKnown }
      result.histories += 1
      result.longest = max(result.longest, exploration.length)
      result.states = exploration.states
      if !hasEnded { simulation.problems.append("1.04: blocked forever") }
      if !simulation.problems.isEmpty {
        result.failure = "\(simulation.problems.joined(separator: "\n"))\n\(scheduler.trace)"
        // The thread of a blocked strand is lost.
        if !hasEnded { return result }
      }
      simulation.end()
      if result.failure != nil { break }
    }
    simulation = nil
    scheduler.end()
    return result
  }
}
