/// The bells of those who wait for a count to be reached. Decides only: the caller rings.
struct Watchers {
  private var waiting: [(goal: Int, bell: Bell)] = []

  /// Has the bell returned by `reached` once the count is at `goal` or above.
  mutating func add(_ bell: Bell, goal: Int) { waiting.append((goal, bell)) }

  /// Forgets the bell, if it is there.
  mutating func remove(_ bell: Bell) { waiting.removeAll { $0.bell === bell } }

  /// Takes out those whose goal the count has reached, in the order in which they came.
  mutating func reached(_ count: Int) -> [Bell] {
    if waiting.isEmpty { return [] }
    let due = waiting.filter { $0.goal <= count }.map(\.bell)
    if !due.isEmpty { waiting.removeAll { $0.goal <= count } }
    return due
  }
}

extension [Bell] {
  /// Rings each of them, in order. Not to be called under a lock.
  func ringAll() { for bell in self { bell.ring(.reached) } }
}
