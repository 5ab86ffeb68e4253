#if Redis
  import SubPub

  /// Lets one task at a time, or a few, do something that takes several waits.
  final class AsyncSemaphore: Sendable {
    private typealias Waiter = CheckedContinuation<Bool, Never>

    private struct State {
      var permits: Int
      var waiters: [(number: Int, waiter: Waiter)] = []
      var lastNumber = 0
    }

    private let state: Locked<State>

    init(permits: Int = 1) { state = Locked(State(permits: permits)) }

    /// Runs the body when there is a permit; throws a `CancellationError` if the task is cancelled before that.
    func withPermit<Result>(_ body: () async throws -> Result) async throws -> Result {
      guard await acquire() else { throw CancellationError() }
      defer { release() }
      return try await body()
    }

    /// Returns false if the task was cancelled first.
    private func acquire() async -> Bool {
      if Task.isCancelled { return false }
      let number: Int? = state.withLock { state in
        guard state.permits == 0 else {
          state.permits -= 1
          return nil
        }
        state.lastNumber += 1
        return state.lastNumber
      }
      guard let number else { return true }
      return await withTaskCancellationHandler {
        await withCheckedContinuation { waiter in
          let waits = state.withLock { state in
            let waits = state.permits == 0
            if waits { state.waiters.append((number, waiter)) } else { state.permits -= 1 }
            return waits
          }
          if !waits { waiter.resume(returning: true) } else if Task.isCancelled { cancel(number) }
        }
      } onCancel: {
        cancel(number)
      }
    }

    private func release() {
      let next = state.withLock { state -> Waiter? in
        if !state.waiters.isEmpty { return state.waiters.removeFirst().waiter }
        state.permits += 1
        return nil
      }
      next?.resume(returning: true)
    }

    private func cancel(_ number: Int) {
      let waiter = state.withLock { state in
        state.waiters.firstIndex { $0.number == number }.map { state.waiters.remove(at: $0).waiter }
      }
      waiter?.resume(returning: false)
    }
  }
#endif
