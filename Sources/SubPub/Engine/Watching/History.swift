/// The history of a publisher, and whoever reports its events; used in turns only.
///
/// In one object, so that it costs most publishers, which have neither, one word.
final class PublicationRecord {
  /// The last publications; nil unless they are kept, or if they were dropped.
  var history: History?
  let reporter: EventReporter?

  /// Returns nil if nothing is done.
  init?(_ extras: PublisherExtras, initial: (any BoxedPublication)?) {
    if extras.history == 0, extras.reporter == nil { return nil }
    reporter = extras.reporter
    guard extras.history > 0, let initial else { return }
    var history = History(keeping: extras.history)
    _ = history.append(QueuedState(initial, version: 0))
    self.history = history
  }
}

/// The last publications of a publisher, for those who come back (6.05).
///
/// Used in turns only. The identifier after which a client wants to go on comes from outside, so whatever it is,
/// finding it takes the same time: a publication that a client can't name must not be searched for in a turn.
struct History {
  /// A ring once it is full, in the order of the versions, which follow each other.
  private var states: [QueuedState] = []
  private var start = 0
  private let capacity: Int
  /// The version of the last publication with each identifier that comes from another process.
  ///
  /// Identifiers that the publisher has given itself tell the version.
  private var foreign: [PublicationID: UInt64] = [:]

  /// Creates a history that keeps that many states besides the current one.
  init(keeping count: Int) { capacity = count == .max ? .max : count + 1 }

  /// Adds the current state; returns the one that has to go.
  mutating func append(_ state: QueuedState) -> QueuedState? {
    if let id = state.state.carried?.id { foreign[id] = state.version }
    guard states.count == capacity else {
      states.append(state)
      return nil
    }
    let oldest = states[start]
    states[start] = state
    start = (start + 1) % capacity
    if let id = oldest.state.carried?.id, foreign[id] == oldest.version { foreign[id] = nil }
    return oldest
  }

  /// Removes everything, and returns it.
  mutating func clear() -> [QueuedState] {
    let removed = states
    (states, start, foreign) = ([], 0, [:])
    return removed
  }

  /// The states after the one with an identifier; nil unless all of them are kept.
  func states(after id: PublicationID) -> Missed? {
    indexAfter(id).map { Missed(history: self, indices: $0..<states.count) }
  }

  /// States that a client has missed, which aren't copied before it is known how many of them are wanted.
  struct Missed {
    fileprivate let history: History
    fileprivate let indices: Range<Int>

    var count: Int { indices.count }
    var firstVersion: UInt64? { indices.first.map { history[$0].version } }

    /// Passes the newest states on, in order.
    func forEach(ofNewest count: Int, _ body: (QueuedState) -> Void) {
      for index in indices.suffix(count) { body(history[index]) }
    }
  }

  private subscript(index: Int) -> QueuedState {
    let place = start + index
    return states[place < states.count ? place : place - states.count]
  }

  private func indexAfter(_ id: PublicationID) -> Int? {
    guard !states.isEmpty else { return nil }
    let first = self[0]
    if let version = foreign[id] { return Int(version - first.version) + 1 }
    // The publisher's own publications are found by their versions.
    if id.version >= first.version, id.version - first.version < UInt64(states.count) {
      let index = Int(id.version - first.version)
      if self[index].state.id == id { return index + 1 }
    }
    return first.state.id.follows(id) ? 0 : nil
  }
}

extension PublicationID {
  fileprivate func follows(_ other: PublicationID) -> Bool {
    epoch == other.epoch && version > 0 && version - 1 == other.version
  }
}
