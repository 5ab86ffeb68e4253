/// A task that can be cancelled before it has started.
final class CancellableTask: Sendable {
  private enum Phase {
    case new
    case running(Task<Void, Never>)
    case cancelled
  }

  private let phase = Locked(Phase.new)

  /// Runs the body, unless the task was cancelled before.
  ///
  /// It may be for many callers, so it takes neither task-local values nor a priority from the first of them.
  func start(on executor: (any TaskExecutor)?, _ body: @escaping @Sendable () async -> Void) {
    let task = Task.detached(executorPreference: executor, operation: body)
    let isCancelled = phase.withLock { phase in
      if case .cancelled = phase { return true }
      phase = .running(task)
      return false
    }
    if isCancelled { task.cancel() }
  }

  /// Cancels the task; outside every turn, because cancellation handlers are foreign code.
  func cancel() {
    let before = phase.withLock { phase in
      let before = phase
      phase = .cancelled
      return before
    }
    if case .running(let task) = before { task.cancel() }
  }
}
