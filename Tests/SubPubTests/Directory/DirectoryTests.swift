import SubPub
import SubPubTesting
import Testing

@Suite("A directory finds, logs out and observes the publishers of a program", .hangLimit)
enum DirectoryTests {
  /// The names of twelve publishers, for tests that need many.
  static let topics = (1...12).map { "topic \($0)" }
}

extension PublisherDirectory {
  func find(_ topic: String) -> Publisher<Int> { publisher(of: Int.self, named: topic) }
}

/// A subscriber to publishers of any type, which notes what it receives.
final class Listener: Subscriber {
  struct Note: Sendable, Hashable {
    let source: PublisherID
    let version: UInt64
  }

  private let recorder = Recorder<Note>()
  private let onReceive: @Sendable (any AnyPublication) -> Void

  /// Creates a subscriber that calls `onReceive` in each delivery, after it has noted the publication.
  init(onReceive: @escaping @Sendable (any AnyPublication) -> Void = { _ in }) { self.onReceive = onReceive }

  func receive(_ publication: any AnyPublication) {
    recorder.receive(.loaded(Note(source: publication.source, version: publication.version)))
    onReceive(publication)
  }

  var notes: [Note] { recorder.states.compactMap(\.value) }

  /// The source and version of each publication, as in `Int 0`.
  var lines: [String] { notes.map { "\($0.source) \($0.version)" } }

  func versions(of source: PublisherID) -> [UInt64] { notes.filter { $0.source == source }.map(\.version) }

  func wait(count: Int, fileID: String = #fileID, line: Int = #line) async throws {
    try await recorder.wait(count: count, fileID: fileID, line: line)
  }
}

/// A manager that notes its name when it is logged out, resets its publisher if it doesn't keep data, and then calls a
/// closure.
final class ClassManager<Value: Sendable>: Manager {
  let publisher: Publisher<Value>
  private let journal: Journal<String>
  private let keepsData: Bool
  private let onLogout: @Sendable () -> Void

  init(
    _ publisher: Publisher<Value>, in journal: Journal<String>, keepsData: Bool = false,
    onLogout: @escaping @Sendable () -> Void = {}
  ) {
    (self.publisher, self.journal, self.keepsData, self.onLogout) = (publisher, journal, keepsData, onLogout)
  }

  func refreshIfNeeded() {}

  func logout() {
    journal.add("\(publisher.id)")
    if !keepsData { publisher.reset() }
    onLogout()
  }
}

/// A manager that isn't a class.
struct StructManager<Value: Sendable>: Manager {
  let publisher: Publisher<Value>
  let journal: Journal<String>

  func refreshIfNeeded() {}

  func logout() { journal.add("value \(publisher.id)") }
}
