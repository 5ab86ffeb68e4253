import Foundation
import SubPub
import SubPubFoundation

extension LoadingManager where Value: Codable {
  /// Creates a manager of a value that can be read from this machine.
  ///
  /// The name tells the value from all others in a cache; without one, the label does.
  ///
  /// The readers make blocking calls, and a disk may be slow. Swift's own pool has only one thread for each core, so
  /// its threads mustn't block; a `QueueExecutor` runs the task on a Dispatch queue instead.
  convenience init(
    _ label: String, cachedAs name: String? = nil, from reader: some Reader<Value>, for arguments: Arguments,
    _ console: Console, _ purpose: OnPurpose, _ meter: Meter?
  ) {
    let executor = QueueExecutor(label: "subpub-demo.\(label)")
    let reporter = ChangeReporter(console)
    self.init(
      label: label,
      // Data is stale if it is older than two intervals: it comes from an earlier run, or reading fails.
      staleAfter: arguments.interval * 2,
      // A disk that hangs eventually becomes an error.
      timeout: .seconds(10),
      // A failed reading is tried once more before subscribers learn of it.
      retry: .exponential(
        maxAttempts: 2, initial: min(arguments.interval / 10, .seconds(1)), maximum: .seconds(1), jitter: 0.5),
      // The value from the last run is shown until the first load has ended. Even a fresh one doesn't save that load,
      // because this program shows what is true now.
      cache: arguments.cache.map { folder in
        let file = Self.fileName(for: name ?? label)
        return FileCache(file: URL(filePath: folder, directoryHint: .isDirectory).appending(path: file))
      },
      cachePolicy: .alwaysLoad,
      // A failure of the cache isn't an error of the data, so subscribers don't learn of it. A full disk would cause
      // one after each load, so a failure is reported only if it differs from the last one.
      cacheFailed: { reporter.report("\(label): \($0)") },
      instrumentation: meter,
      load: {
        try purpose.failIfAsked()
        return try await withTaskExecutorPreference(executor) { try await reader.read() }
      })
  }
}

extension LoadingManager {
  /// A name may contain the path that is watched, and therefore slashes.
  private static func fileName(for name: String) -> String {
    (name.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? name) + ".json"
  }
}

/// A reader of a value on this machine, which it can read repeatedly.
protocol Reader<Value>: Sendable {
  associatedtype Value: Sendable
  func read() async throws -> Value
}

/// The error for a kernel file with unexpected contents.
struct UnexpectedText: Error, Hashable, CustomStringConvertible {
  let source: String
  var description: String { "\(source) has unexpected contents" }
}
