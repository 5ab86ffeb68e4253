/// A load of a manager: which one it is, and the task that carries it out.
package final class Load: Sendable {
  private enum Phase {
    case new
    case running(Task<Void, Never>)
    case cancelled
  }

  private let phase = Locked(Phase.new)

  /// Carries the load out, unless it has been cancelled already. A load is shared by all who wait for it, so it takes
  /// no task-local value and no priority from the first of them.
  func start(on executor: (any TaskExecutor)?, _ body: @escaping @Sendable () async -> Void) {
    let task = Task.detached(executorPreference: executor, operation: body)
    let isCancelled = phase.withLock { phase in
      if case .cancelled = phase { return true }
      phase = .running(task)
      return false
    }
    if isCancelled { task.cancel() }
  }

  /// Outside every turn: handlers of the cancellation are foreign code.
  func cancel() {
    let before = phase.withLock { phase in
      let before = phase
      phase = .cancelled
      return before
    }
    if case .running(let task) = before { task.cancel() }
  }
}
