import Synchronization

/// What callbacks on any thread have seen, in order.
nonisolated final class Journal<Entry: Sendable>: Sendable {
  private let stored = Mutex<[Entry]>([])

  var entries: [Entry] { stored.withLock { $0 } }
  func add(_ entry: Entry) { stored.withLock { $0.append(entry) } }
}
