import Dispatch
import Foundation
import SubPub
import SubPubFoundation
// Exported, so that all suites have its limit.
@_exported import Support
import Testing

/// A new folder for one test, which is removed with its contents when it is released.
final class TemporaryFolder: Sendable {
  let url: URL

  init() {
    url = FileManager.default.temporaryDirectory.appending(path: "SubPubFoundationTests-\(UUID().uuidString)")
    do { try FileManager.default.createDirectory(at: url, withIntermediateDirectories: false) } catch {
      Issue.record(error)
    }
  }

  deinit { try? FileManager.default.removeItem(at: url) }

  /// The file of the test's cache.
  var file: URL { url.appending(path: "cache.json") }
  /// The file that a write makes first, and that a killed process leaves behind.
  var temporary: URL { url.appending(path: "cache.json.subpub-new") }

  var names: Set<String> {
    get throws { Set(try FileManager.default.contentsOfDirectory(atPath: url.path(percentEncoded: false))) }
  }

  /// Makes a pipe at the URL, and runs the body, which must not wait for the other end of the pipe.
  func withPipe<R>(at url: URL, _ body: () async throws -> R) async throws -> R {
    let (path, isOver, isLate) = (url.path(percentEncoded: false), DispatchSemaphore(value: 0), Locked(false))
    try #require(unsafe mkfifo(path, 0o600) == 0)
    // Opens the other end at the limit, so that a body that waits for it fails instead of hanging.
    Thread.detachNewThread {
      if TestLimit.wait({ isOver.wait(timeout: $0) }) { return }
      isLate.withLock { $0 = true }
      _ = unsafe open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC)
    }
    defer {
      isOver.signal()
      #expect(!isLate.withLock { $0 }, "the other end of the pipe was waited for")
    }
    return try await body()
  }
}

extension URL {
  /// The permissions of a file or a folder.
  var mode: Int? {
    get throws {
      let attributes = try FileManager.default.attributesOfItem(atPath: path(percentEncoded: false))
      return (attributes[.posixPermissions] as? NSNumber)?.intValue
    }
  }
}

/// Runs an operation of a cache, which must fail, and returns its error.
@discardableResult
func failure(
  sourceLocation: SourceLocation = #_sourceLocation, of operation: () async throws -> some Any
) async -> FileCacheError? {
  await #expect(throws: FileCacheError.self, sourceLocation: sourceLocation) { _ = try await operation() }
}

extension FileCacheError.Reason {
  var isDamaged: Bool { if case .damaged = self { true } else { false } }
  var isUndecodable: Bool { if case .undecodable = self { true } else { false } }
  var isUnencodable: Bool { if case .unencodable = self { true } else { false } }
}
