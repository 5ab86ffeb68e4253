import Dispatch
import Foundation
import SubPub
import SubPubFoundation
import Support
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

/// Opens the other end of a pipe at the limit, so that a call that waits for it fails instead of hanging.
final class PipeTimeout: Sendable {
  private let isOver = DispatchSemaphore(value: 0)
  private let isLate = Locked(false)

  init(path: String) {
    Thread.detachNewThread { [isOver, isLate] in
      guard isOver.wait(timeout: TestLimit.deadline) == .timedOut else { return }
      isLate.withLock { $0 = true }
      _ = unsafe open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC)
    }
  }

  /// Cancels the timeout, and returns whether it had passed.
  func cancel() -> Bool {
    isOver.signal()
    return isLate.withLock { $0 }
  }
}

extension FileCacheError.Reason {
  var isDamaged: Bool { if case .damaged = self { true } else { false } }
  var isUndecodable: Bool { if case .undecodable = self { true } else { false } }
  var isUnencodable: Bool { if case .unencodable = self { true } else { false } }
}
