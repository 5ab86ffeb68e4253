import SubPub
import SubPubTesting

/// A task that asks a manager for something, and what it got.
final class Caller<Result: Sendable>: Sendable {
  private let outcome = Locked<Result?>(nil)
  private let returned = Event()
  private let task: Task<Void, Never>

  init(on executor: (any TaskExecutor)? = nil, _ body: @escaping @Sendable () async -> Result) {
    task = Task(executorPreference: executor) { [outcome, returned] in
      let result = await body()
      outcome.withLock { $0 = result }
      returned.happen()
    }
  }

  func cancel() { task.cancel() }

  /// Nil while it waits.
  var result: Result? { outcome.withLock { $0 } }

  func wait(fileID: String = #fileID, line: Int = #line) async throws {
    try await returned.wait(fileID: fileID, line: line)
  }
}
