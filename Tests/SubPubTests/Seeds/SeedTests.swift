import SubPub
import Testing

/// The systems that this package replaces, each as a reader of its document would port it.
///
/// Names come from the documents where they have one.
@Suite("Every system of the seed documents can be written with this package", .timeLimit(.minutes(1)))
enum SeedTests {
  struct DataModel: Equatable, Sendable {
    let name: String
    init(_ name: String) { self.name = name }
  }

  enum EndpointError: Error, Equatable { case offline, denied }

  /// Whether the object that `make` returns is released with its last reference outside the library.
  static func isReleased(_ make: () -> some AnyObject) -> Bool {
    weak var probe: AnyObject?
    do {
      let object = make()
      probe = object
      withExtendedLifetime(object) {}
    }
    return probe == nil
  }
}

/// A list of what happened, in order, to which any thread can add.
final class Journal<Entry: Sendable>: Sendable {
  private let list = Locked<[Entry]>([])

  func add(_ entry: Entry) { list.withLock { $0.append(entry) } }

  var entries: [Entry] { list.withLock { $0 } }
}
