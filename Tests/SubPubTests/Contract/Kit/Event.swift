import SubPub
import SubPubTesting

/// Something that happens any number of times, on any thread, and that a test waits for.
final class Event: Sendable {
  private let recorder = Recorder<Int>()

  func happen() { recorder.receive(.unknown) }

  var count: Int { recorder.states.count }

  /// Throws when it has not happened so often within 10 seconds.
  func wait(count: Int = 1, fileID: String = #fileID, line: Int = #line) async throws {
    try await recorder.wait(count: count, fileID: fileID, line: line)
  }
}
