import Foundation
import SubPub
import SubPubTesting
// Exported, because with the test kit's waits no file may use the library's, whose limit is ten seconds (7.05).
@_exported import Support

/// Something that happens any number of times, on any thread, and that a test waits for.
final class Event: Sendable {
  private let recorder = Recorder<Int>()

  func happen() { recorder.receive(.unknown) }

  var count: Int { recorder.states.count }

  /// Returns when it has happened that often; throws if it hangs.
  func wait(count: Int = 1, fileID: String = #fileID, line: Int = #line) async throws {
    try await recorder.wait(count: count, fileID: fileID, line: line)
  }
}

/// Counts the deaths of objects, and lets a test wait for them.
final class Deaths: Sendable {
  private let event = Event()

  /// An object whose death counts: to be captured, published or subscribed.
  final class Token: Sendable {
    private let deaths: Deaths
    fileprivate init(_ deaths: Deaths) { self.deaths = deaths }
    deinit { deaths.event.happen() }
  }

  func makeToken() -> Token { Token(self) }

  var count: Int { event.count }

  func wait(count: Int = 1, fileID: String = #fileID, line: Int = #line) async throws {
    try await event.wait(count: count, fileID: fileID, line: line)
  }
}

/// Runs a closure when it dies.
final class DeinitAction: Sendable {
  private let action: @Sendable () -> Void

  init(_ action: @escaping @Sendable () -> Void) { self.action = action }

  deinit { action() }
}

/// A weak reference that closures can capture.
struct Weak<Object: AnyObject & Sendable>: Sendable {
  weak let object: Object?

  init(_ object: Object) { self.object = object }
}

/// Whether a new object may get the address of a dead one, which AddressSanitizer prevents.
enum AddressReuse {
  static let isPossible = unsafe dlsym(nil, "__asan_init") == nil
}
