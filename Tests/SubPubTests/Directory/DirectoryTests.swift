import SubPub
import SubPubTesting
import Testing

@Suite("A directory finds, logs out and observes the publishers of a program", .timeLimit(.minutes(2)))
enum DirectoryTests {}

/// A publisher of any type.
struct AnyTopicPublisher: Sendable {
  let id: PublisherID
  let publish: @Sendable () -> Void
  let register: @Sendable (PublisherDirectory) -> Void

  init<Value: Sendable>(_ publisher: Publisher<Value>) {
    id = publisher.id
    publish = { publisher.startLoading() }
    register = { $0.register(publisher) }
  }
}

/// One of twelve value types, for tests that need publishers of many types.
struct Topic: Sendable {
  let find: @Sendable (PublisherDirectory) -> AnyTopicPublisher
  let make: @Sendable (String) -> AnyTopicPublisher

  static let all: [Topic] = [
    Topic(Tag<Int>.self), Topic(Tag<String>.self), Topic(Tag<Bool>.self), Topic(Tag<Double>.self),
    Topic(Tag<Int8>.self), Topic(Tag<Int16>.self), Topic(Tag<Int32>.self), Topic(Tag<Int64>.self),
    Topic(Tag<UInt8>.self), Topic(Tag<UInt16>.self), Topic(Tag<UInt32>.self), Topic(Tag<UInt64>.self),
  ]

  private struct Tag<T>: Sendable {}

  private init<T>(_ type: Tag<T>.Type) {
    find = { AnyTopicPublisher($0.publisher(of: Tag<T>.self)) }
    make = { AnyTopicPublisher(Publisher<Tag<T>>(label: $0)) }
  }
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
