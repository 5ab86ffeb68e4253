import SubPub
import SubPubTesting

/// Something that happens any number of times, on any thread, and that a test waits for.
final class Event: Sendable {
  private let recorder = Recorder<Int>()

  func happen() { recorder.receive(.unknown) }

  var count: Int { recorder.states.count }

  /// Throws when it has not happened so often in time, which is longer than any machine needs: at the start of a run every
  /// test waits for the pool's few threads.
  func wait(
    count: Int = 1, within time: Duration = .seconds(100), fileID: String = #fileID, line: Int = #line
  ) async throws {
    try await recorder.wait(count: count, within: time, fileID: fileID, line: line)
  }
}
