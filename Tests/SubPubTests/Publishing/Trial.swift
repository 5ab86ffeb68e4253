import SubPub
import SubPubTesting

extension PublishingTests {
  /// A task that runs when the test says so, and what came of it.
  final class Trial<Result: Sendable>: Sendable {
    let executor = ManualExecutor()
    private let ended = Locked<Swift.Result<Result, any Error>?>(nil)
    private let task: Task<Void, Never>

    /// Starts the task; with `run()` it goes on as far as it can.
    init(_ body: @escaping @Sendable () async throws -> Result) {
      task = Task(executorPreference: executor) { [ended] in
        let result: Swift.Result<Result, any Error>
        do { result = .success(try await body()) } catch { result = .failure(error) }
        ended.withLock { $0 = result }
      }
    }

    /// Runs the task until it waits for something or ends, on this thread.
    @discardableResult func run() -> Trial {
      executor.runAll()
      return self
    }

    func cancel() { task.cancel() }

    var isOver: Bool { ended.withLock { $0 } != nil }

    /// Nil while the task waits.
    var value: Result? { try? ended.withLock { $0 }?.get() }

    var error: (any Error)? {
      if case .failure(let error)? = ended.withLock({ $0 }) { error } else { nil }
    }
  }
}
