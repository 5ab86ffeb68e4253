extension Exploration {
  /// Explores the interleavings of a few clients in the library, on threads of its own.
  ///
  /// - Returns: A summary, and the first history that breaks a rule, with all its events.
  static func explore(
    bound: Int, _ setUp: @escaping @Sendable (Simulation) -> Void
  ) async -> (summary: String, failure: String?) {
    await Scheduler.onThread {
      let exploration = Exploration(bound: bound)
      let scheduler = Scheduler(exploration, workers: 2)
      // How many histories ran, to their end or to a state that was reached before, and the choices of the longest.
      var (histories, longest) = (0, 0)
      var failure: String?
      while failure == nil, exploration.begin() {
        let simulation = Simulation(scheduler, in: exploration, playing: setUp)
        let hasEnded = scheduler.play(simulation)
        histories += 1
        longest = max(longest, exploration.length)
        if !hasEnded { simulation.problems.append("1.04: blocked forever") }
        if !simulation.problems.isEmpty {
          failure = "\(simulation.problems.joined(separator: "\n"))\n\(scheduler.trace)"
        }
        // The thread of a blocked strand is lost.
        if !hasEnded { return ("", failure) }
        simulation.end()
      }
      scheduler.end()
      return (
        "\(exploration.states) distinct states, \(histories) histories, the longest of \(longest) choices", failure
      )
    }
  }
}
