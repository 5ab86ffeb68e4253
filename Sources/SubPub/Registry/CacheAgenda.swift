/// What a manager has to do with its cache, in the order of the turns that decided it, one step at a time (rule 5.10).
struct CacheAgenda {
  typealias Step = @Sendable () async -> Void

  private var steps: [Step] = []
  private var isWorkedOff = false

  mutating func append(_ step: @escaping Step) { steps.append(step) }

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
}
