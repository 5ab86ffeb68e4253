import Dispatch
import Foundation
import SubPub
import SubPubTesting

/// Something that happens any number of times, on any thread, and that a test waits for.
final class Event: Sendable {
  private let recorder = Recorder<Int>()

  func happen() { recorder.receive(.unknown) }

  var count: Int { recorder.states.count }

  /// How long a test waits before it fails. At the start of a run every test waits for the pool's few threads; where it
  /// runs alone, `TEST_LIMIT` may say fewer seconds.
  static let limit = Duration.seconds(ProcessInfo.processInfo.environment["TEST_LIMIT"].flatMap(Int.init) ?? 100)

  /// The same from now on, for a thread that waits.
  static var deadline: DispatchTime { .now() + .seconds(Int(limit.components.seconds)) }

  /// Throws when it has not happened so often in time.
  func wait(
    count: Int = 1, within time: Duration = Event.limit, fileID: String = #fileID, line: Int = #line
  ) async throws {
    try await recorder.wait(count: count, within: time, fileID: fileID, line: line)
  }
}
