/// What a manager has to do with its cache, in the order of the turns that decided it, one step at a time (rule 5.10).
///
/// Steps that came to nothing before their turn are left out, so that a cache that is slow, or hangs, has few to wait for.
struct CacheAgenda {
  typealias Work = @Sendable () async -> Void

  enum Step {
    /// For the load under way.
    case read(Work)
    case write(Work)
    case clear(Work)
    /// Somebody waits until everything before it is done.
    case mark(WaiterID)
  }

  private var steps: [Step] = []
  private var isWorkedOff = false

  /// Nothing is to be done, and nothing is being done.
  var isIdle: Bool { steps.isEmpty && !isWorkedOff }

  /// Adds a step. What it makes needless goes, and is handed out: its closures hold values.
  mutating func append(_ step: Step) -> [Step] {
    var needless: [Step] = []
    switch step {
    case .read:
      // The load that wanted the other one is over.
      needless = take { if case .read = $0 { true } else { false } }
    case .write:
      if case .write = steps.last { needless = [steps.removeLast()] }
    case .clear:
      needless = take { if case .mark = $0 { false } else { true } }
    case .mark: break
    }
    steps.append(step)
    return needless
  }

  /// Whether the caller is to take the steps, one after the other, until there is none.
  mutating func beginWork() -> Bool {
    guard !isWorkedOff, !steps.isEmpty else { return false }
    isWorkedOff = true
    return true
  }

  /// The next step for who works them off. Nil ends the work.
  mutating func next() -> Step? {
    if steps.isEmpty {
      isWorkedOff = false
      return nil
    }
    return steps.removeFirst()
  }

  private mutating func take(_ isNeedless: (Step) -> Bool) -> [Step] {
    let taken = steps.filter(isNeedless)
    steps.removeAll(where: isNeedless)
    return taken
  }
}
