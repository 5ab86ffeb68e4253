import SubPub
import SubPubTesting

// Tests that run all at once wait for each other: ten seconds, which is the limit unless said otherwise, are soon over.
extension Recorder {
  func wait(count: Int, fileID: String = #fileID, line: Int = #line) async throws {
    try await wait(count: count, within: Event.limit, fileID: fileID, line: line)
  }

  func wait(
    until predicate: @escaping @Sendable (LoadState<Value>) -> Bool, fileID: String = #fileID, line: Int = #line
  ) async throws {
    try await wait(within: Event.limit, until: predicate, fileID: fileID, line: line)
  }
}
