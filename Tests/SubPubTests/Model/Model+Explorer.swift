extension Model {
  /// Goes through every interleaving in which a thread that could go on is left for another at most `bound` times.
  ///
  /// A run can't be copied, so it is made again from the start for each branch. A state that was seen with as many
  /// preemptions left, or more, is not followed again: what a run does next depends on nothing else.
  struct Explorer {
    let setup: Setup
    let bound: Int
    private var path: [Fork] = []
    /// For each state and who runs, the preemptions left, plus one.
    private var seen: [UInt64: Int] = [:]
    private var result = Exploration()

    /// A moment at which one of several threads goes on.
    private struct Fork {
      var next: Int
      var others: [Int]
    }

    private static let longest = 1000

    static func explore(_ setup: Setup, bound: Int) -> Exploration {
      var explorer = Explorer(setup: setup, bound: bound)
      explorer.run()
      return explorer.result
    }

    private init(setup: Setup, bound: Int) {
      self.setup = setup
      self.bound = bound
    }

    private mutating func run() {
      repeat {
        let world = World(setup)
        var left = bound
        for (index, fork) in path.enumerated() {
          if isPreemption(fork.next, world) { left -= 1 }
          world.step(fork.next)
          if index == path.count - 1 { world.checkCounts() }
        }
        goOn(world, left)
        result.schedules += 1
        result.longest = max(result.longest, path.count)
        if let violation = world.violation {
          result.violation = violation
          result.failure = trace()
          return
        }
      } while turnBack()
      result.states = seen.count
    }

    private mutating func goOn(_ world: World, _ preemptions: Int) {
      var left = preemptions
      while world.violation == nil {
        var choices = world.threads.indices.filter { world.isReady($0) }
        guard !choices.isEmpty else { return world.checkEnd() }
        guard path.count < Self.longest else { return world.fail("1.03: no end after \(path.count) steps") }
        let digest = world.digest()
        guard seen[digest, default: 0] <= left else { return }
        seen[digest] = left + 1
        if let index = choices.firstIndex(of: world.running) {
          // Whoever runs goes on first; to leave it costs a preemption.
          choices.swapAt(0, index)
          if left == 0 { choices.removeLast(choices.count - 1) }
        }
        path.append(Fork(next: choices[0], others: Array(choices.dropFirst())))
        if isPreemption(choices[0], world) { left -= 1 }
        world.step(choices[0])
        world.checkCounts()
      }
    }

    private func isPreemption(_ thread: Int, _ world: World) -> Bool {
      thread != world.running && world.running >= 0 && world.isReady(world.running)
    }

    /// To the last fork with a branch that was not tried.
    private mutating func turnBack() -> Bool {
      while let fork = path.popLast() {
        guard let next = fork.others.first else { continue }
        path.append(Fork(next: next, others: Array(fork.others.dropFirst())))
        return true
      }
      return false
    }

    /// The steps of the path, in words.
    private func trace() -> [String] {
      let world = World(setup)
      return path.map { fork in
        let thread = world.threads[fork.next]
        let mark = isPreemption(fork.next, world) ? "* " : "  "
        let line = "\(mark)\(thread.name): \(thread.calls.last?.name ?? "")"
        world.step(fork.next)
        return line
      }
    }
  }

  /// What an exploration found.
  struct Exploration: Sendable, CustomStringConvertible {
    /// Distinct states, each with who runs.
    var states = 0
    /// Runs, to the end or to a state that was seen before.
    var schedules = 0
    /// The steps of the longest run.
    var longest = 0
    var violation: String?
    /// The steps that break the rule; `*` marks those that preempt another thread.
    var failure: [String] = []

    var description: String { "\(states) distinct states, \(schedules) schedules, the longest of \(longest) steps" }
  }
}
