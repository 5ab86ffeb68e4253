import SubPub
import SubPubTesting

/// Watches publishers of any type, and notes what comes when its delivery begins.
final class Watcher: Subscriber {
  private let recorder = Recorder<Note>()
  private let during: @Sendable (any AnyPublication) -> Void

  struct Note: Sendable, Hashable {
    let source: PublisherID
    let version: UInt64
  }

  /// `during` is done in every delivery, after it was noted.
  init(during: @escaping @Sendable (any AnyPublication) -> Void = { _ in }) { self.during = during }

  func receive(_ publication: any AnyPublication) {
    recorder.receive(.loaded(Note(source: publication.source, version: publication.version)))
    during(publication)
  }

  var notes: [Note] { recorder.states.compactMap(\.value) }

  /// From whom, and which version: `Int 0`.
  var lines: [String] { notes.map { "\($0.source) \($0.version)" } }

  func versions(of source: PublisherID) -> [UInt64] { notes.filter { $0.source == source }.map(\.version) }

  func wait(count: Int, fileID: String = #fileID, line: Int = #line) async throws {
    try await recorder.wait(count: count, fileID: fileID, line: line)
  }
}
