import SubPub

/// What a recorder has received, and who waits for more. Decides only: the caller rings.
struct Recording<Value: Sendable> {
  private(set) var states: [LoadState<Value>] = []
  private(set) var publications: [Publication<Value>] = []
  private var watchers = Watchers()

  /// Adds a state that came alone; returns who waited for it.
  mutating func append(_ state: LoadState<Value>) -> [Bell] {
    states.append(state)
    return watchers.reached(states.count)
  }

  /// Adds a publication and its state; returns who waited for it.
  mutating func append(_ publication: Publication<Value>) -> [Bell] {
    publications.append(publication)
    return append(publication.state)
  }

  /// A copy of what came from that position on. A slice would make the next `append` copy everything.
  func states(from position: Int) -> [LoadState<Value>] { Array(states[position...]) }

  /// Whether the bell has to wait until there are so many states.
  mutating func watch(_ bell: Bell, count: Int) -> Bool {
    if states.count >= count { return false }
    watchers.add(bell, goal: count)
    return true
  }

  /// Forgets one who waited, if it is there.
  mutating func unwatch(_ bell: Bell) { watchers.remove(bell) }
}
