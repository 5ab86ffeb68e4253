/// The last publications of a publisher, for those who come back (6.05).
///
/// Used in turns only.
struct History {
  /// A ring once it is full, in the order of the versions, which follow each other.
  private var states: [QueuedState] = []
  private var start = 0
  private let capacity: Int

  /// Creates a history that keeps that many states besides the current one.
  init(keeping count: Int) { capacity = count + 1 }

  /// Adds the current state; returns the one that has to go.
  mutating func append(_ state: QueuedState) -> QueuedState? {
    guard states.count == capacity else {
      states.append(state)
      return nil
    }
    let oldest = states[start]
    states[start] = state
    start = (start + 1) % capacity
    return oldest
  }

  /// Removes everything, and returns it.
  mutating func clear() -> [QueuedState] {
    let removed = states
    (states, start) = ([], 0)
    return removed
  }

  /// The states after the one with an identifier; nil unless all of them are kept.
  func states(after id: PublicationID) -> [QueuedState]? {
    guard let index = indexAfter(id) else { return nil }
    return (index..<states.count).map { self[$0] }
  }

  private subscript(index: Int) -> QueuedState { states[(start + index) % states.count] }

  private func indexAfter(_ id: PublicationID) -> Int? {
    guard !states.isEmpty else { return nil }
    let last = self[states.count - 1].state.id
    if last.epoch == id.epoch, last.version >= id.version, last.version - id.version <= UInt64(states.count) {
      // If there are no gaps, as there are none but in the versions of another process.
      let index = states.count - Int(last.version - id.version)
      if index > 0 ? self[index - 1].state.id == id : self[0].state.id.follows(id) { return index }
    }
    return (0..<states.count).last { self[$0].state.id == id }.map { $0 + 1 }
  }
}

extension PublicationID {
  fileprivate func follows(_ other: PublicationID) -> Bool { epoch == other.epoch && version == other.version + 1 }
}
