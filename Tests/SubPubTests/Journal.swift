import SubPub

/// A list of what happened, in order, to which any thread can add.
final class Journal<Entry: Sendable>: Sendable {
  private let list = Locked<[Entry]>([])

  func add(_ entry: Entry) { list.withLock { $0.append(entry) } }

  var entries: [Entry] { list.withLock { $0 } }
}
