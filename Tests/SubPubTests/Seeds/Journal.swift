import SubPub

extension SeedTests {
  /// What happened, in order, noted from any thread.
  final class Journal<Entry: Sendable>: Sendable {
    private let list = Locked<[Entry]>([])

    func add(_ entry: Entry) { list.withLock { $0.append(entry) } }

    var entries: [Entry] { list.withLock { $0 } }
  }
}
