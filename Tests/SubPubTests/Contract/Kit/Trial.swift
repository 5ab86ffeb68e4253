import SubPub
import SubPubTesting
import Support
import Testing

/// What tests throw and publish.
enum Failure: Error, Equatable { case offline, denied }

/// A task that runs only when the test runs it, and its result.
final class Trial<Result: Sendable>: Sendable {
  let executor = ManualExecutor()
  private let ended = Locked<Swift.Result<Result, any Error>?>(nil)
  private let task: Task<Void, Never>

  /// Creates the task, which begins with the first `run()`.
  init(_ body: @escaping @Sendable () async throws -> Result) {
    task = Task(executorPreference: executor) { [ended] in
      let result: Swift.Result<Result, any Error>
      do { result = .success(try await body()) } catch { result = .failure(error) }
      ended.withLock { $0 = result }
    }
  }

  /// Runs the task on this thread until it suspends or ends.
  @discardableResult func run() -> Trial {
    executor.runAll()
    return self
  }

  func cancel() { task.cancel() }

  var isOver: Bool { ended.withLock { $0 } != nil }

  /// The value that the task returned, or nil if it hasn't.
  var value: Result? { try? ended.withLock { $0 }?.get() }

  var error: (any Error)? {
    if case .failure(let error)? = ended.withLock({ $0 }) { error } else { nil }
  }

  /// Runs the task to its end whenever something wakes it; throws if it hangs.
  func finish(sourceLocation: SourceLocation = #_sourceLocation) async throws -> Result {
    while !run().isOver {
      let isLate = await withTaskGroup { group in
        group.addTask { [executor] in
          await executor.waitForPending(1)
          return false
        }
        group.addTask { await TestLimit.waitForHang() }
        defer { group.cancelAll() }
        return await group.next() ?? true
      }
      try #require(!isLate, "nothing has woken the task", sourceLocation: sourceLocation)
    }
    if let error { throw error }
    return try #require(value, sourceLocation: sourceLocation)
  }
}
