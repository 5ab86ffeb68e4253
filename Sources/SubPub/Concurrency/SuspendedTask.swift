/// A suspended task.
///
/// It carries no value: after it was resumed, the task fetches its result.
@safe
struct SuspendedTask: Sendable {
  private let continuation: UnsafeContinuation<Void, Never>

  /// Suspends the current task until it is resumed.
  ///
  /// `register` keeps the task for the code that resumes it, and returns false if there is nothing to wait for.
  static func wait(_ register: (SuspendedTask) -> Bool) async {
    unsafe await withUnsafeContinuation { continuation in
      let task = unsafe SuspendedTask(continuation: continuation)
      if !register(task) { task.resume() }
    }
  }

  /// Suspends the current task until it is resumed, and calls `onCancel` if it is cancelled.
  ///
  /// The task stays on the caller's actor, instead of visiting Swift's pool.
  static func wait(
    isolation: isolated (any Actor)? = #isolation, _ register: (SuspendedTask) -> Bool,
    onCancel: @Sendable () -> Void
  ) async {
    await withTaskCancellationHandler {
      _ = isolation  // A closure that doesn't capture it runs on the pool.
      await wait(register)
    } onCancel: {
      onCancel()
    }
  }

  /// Resumes the task, once, and outside every turn: an executor's `enqueue` may run the task at once.
  func resume() {
    #if DEBUG
      // Through the runtime's library. Without optimization, `UnsafeContinuation.resume` is code of this module that
      // reads the task's memory, and ThreadSanitizer doesn't know how that is ordered if the task hasn't suspended yet.
      unsafe CheckedContinuation(continuation: continuation).resume()
    #else
      unsafe continuation.resume()
    #endif
  }
}

/// A value that comes once, for one task that waits for it.
final class OneShot<Value: Sendable>: Sendable {
  private enum Phase {
    case empty
    case awaited(SuspendedTask)
    case given(Value)
    /// It was taken, or there will be none.
    case over
  }

  private let phase = Locked(Phase.empty)

  /// Gives the value; without effect if there is one already, or if the wait is over.
  func give(_ value: Value) { change(to: .given(value)) }

  /// Ends the wait without a value, unless there is one.
  func end() { change(to: .over) }

  private func change(to new: Phase) {
    let task = phase.withLock { phase -> SuspendedTask? in
      switch phase {
      case .empty, .awaited:
        defer { phase = new }
        if case .awaited(let task) = phase { return task }
        return nil
      case .given, .over: return nil
      }
    }
    task?.resume()
  }

  /// Waits for the value, once; returns nil if there will be none, or if this task is cancelled.
  func wait() async -> Value? {
    await SuspendedTask.wait { task in
      phase.withLock { phase in
        guard case .empty = phase else { return false }
        phase = .awaited(task)
        return true
      }
    } onCancel: {
      end()
    }
    return phase.withLock { phase in
      defer { phase = .over }
      if case .given(let value) = phase { return value }
      return nil
    }
  }
}
