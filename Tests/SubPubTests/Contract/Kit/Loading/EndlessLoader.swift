import SubPub
import SubPubTesting

/// A loader that never returns before it is cancelled.
final class EndlessLoader: Sendable {
  private let (began, ended) = (Event(), Event())

  func load() async throws -> Int {
    began.happen()
    defer { ended.happen() }
    try await ManualClock().sleep(for: .seconds(1))
    return 0
  }

  /// Fails after `Event.limit`. To be called when no call begins any more, but for those that are cancelled already.
  func waitUntilNoneRuns(fileID: String = #fileID, line: Int = #line) async throws {
    try await ended.wait(count: began.count, fileID: fileID, line: line)
  }
}
