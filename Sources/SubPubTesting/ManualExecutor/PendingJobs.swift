/// What waits to be run, and which of it is next. Decides only.
struct PendingJobs {
  enum Entry {
    /// Of a task that prefers the executor.
    case preferred(UnownedJob)
    /// Of an actor that lives on it.
    case isolated(UnownedJob)
    case step(@Sendable () -> Void)
  }

  private var generator: SeededGenerator?
  private var arrived: [Entry] = []
  /// What is run in order, the last one first; empty when drawing.
  private var inOrder: [Entry] = []

  init(seed: UInt64?) { generator = seed.map(SeededGenerator.init) }

  var count: Int { arrived.count + inOrder.count }

  mutating func append(_ entry: Entry) { arrived.append(entry) }

  /// Takes out the oldest, or with a seed the one that is drawn.
  mutating func next() -> Entry? {
    if generator == nil {
      if inOrder.isEmpty {
        swap(&arrived, &inOrder)
        inOrder.reverse()
      }
      return inOrder.popLast()
    }
    if arrived.isEmpty { return nil }
    if let drawn = generator?.index(below: arrived.count) { arrived.swapAt(drawn, arrived.count - 1) }
    return arrived.popLast()
  }
}
