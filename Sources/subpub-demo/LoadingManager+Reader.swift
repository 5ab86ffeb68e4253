import Foundation
import SubPub
import SubPubFoundation

extension LoadingManager where Value: Codable {
  /// A manager of something that can be read from this machine.
  ///
  /// The readers make blocking calls, and a disk can take its time. Swift's own pool has one thread for each core, too
  /// few to block; a `QueueExecutor` lets a task run on a Dispatch queue instead.
  convenience init(_ label: String, from reader: some Reader<Value>, for arguments: Arguments, _ console: Console) {
    let executor = QueueExecutor(label: "subpub-demo.\(label)")
    self.init(
      label: label,
      // Older than two readings: from an earlier run, or the readings fail.
      staleAfter: arguments.interval * 2,
      // A disk that hangs is an error in time.
      timeout: .seconds(10),
      // What fails is tried once more before anyone hears of it.
      retry: .exponential(
        maxAttempts: 2, initial: min(arguments.interval / 10, .seconds(1)), maximum: .seconds(1), jitter: 0.5),
      // The value from the last run shows until the first load has ended.
      cache: arguments.cache.map { folder in
        FileCache(file: URL(filePath: folder, directoryHint: .isDirectory).appending(path: "\(label).json"))
      },
      cacheFailed: { failure in
        // What can't be read is the publisher's error, too, and the error reporter's business.
        if failure.operation != .read { console.report("\(label): \(failure)") }
      },
      load: { try await withTaskExecutorPreference(executor) { try await reader.read() } })
  }
}
