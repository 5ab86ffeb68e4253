import SubPub
import SubPubTesting
import Testing

extension OwnThread {
  /// Runs the body on a thread that isn't the caller's and hands out what it returns; fails after `Event.limit`. So a
  /// call that blocks fails its test and doesn't hang it.
  static func result<R: Sendable>(
    sourceLocation: SourceLocation = #_sourceLocation, fileID: String = #fileID, line: Int = #line,
    of body: @escaping @Sendable () -> R
  ) async throws -> R {
    let result = Recorder<R>()
    start { result.receive(.loaded(body())) }
    try await result.wait(count: 1, fileID: fileID, line: line)
    return try #require(result.states.first?.value, sourceLocation: sourceLocation)
  }
}
