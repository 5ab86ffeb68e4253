import Foundation

/// A new folder for one test, which goes with everything in it at the end of its life.
final class TemporaryFolder: Sendable {
  let url: URL

  init() throws {
    url = FileManager.default.temporaryDirectory.appending(path: "SubPubFoundationTests-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: false)
  }

  deinit { try? FileManager.default.removeItem(at: url) }

  /// Where a test has its cache.
  var file: URL { url.appending(path: "cache.json") }
  /// What a killed process leaves behind.
  var temporary: URL { url.appending(path: "cache.json.subpub-new") }

  /// The names of what is there.
  var names: Set<String> {
    get throws { Set(try FileManager.default.contentsOfDirectory(atPath: url.path(percentEncoded: false))) }
  }
}
