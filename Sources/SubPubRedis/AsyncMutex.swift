#if Redis
  import SubPub

  /// Lets one task at a time do something that takes several waits.
  final class AsyncMutex: Sendable {
    private typealias Waiter = CheckedContinuation<Bool, Never>

    private struct State {
      var isTaken = false
      var waiters: [(number: Int, waiter: Waiter)] = []
      var lastNumber = 0
    }

    private let state = Locked(State())

    /// Runs the body when no other task does; throws a `CancellationError` if the task is cancelled before that.
    func withLock<Result>(_ body: () async throws -> Result) async throws -> Result {
      guard await lock() else { throw CancellationError() }
      defer { unlock() }
      return try await body()
    }

    /// Returns false if the task was cancelled first.
    private func lock() async -> Bool {
      if Task.isCancelled { return false }
      let number: Int? = state.withLock { state in
        guard state.isTaken else {
          state.isTaken = true
          return nil
        }
        state.lastNumber += 1
        return state.lastNumber
      }
      guard let number else { return true }
      return await withTaskCancellationHandler {
        await withCheckedContinuation { waiter in
          let isTaken = state.withLock { state in
            defer { state.isTaken = true }
            if state.isTaken { state.waiters.append((number, waiter)) }
            return state.isTaken
          }
          if !isTaken { waiter.resume(returning: true) } else if Task.isCancelled { cancel(number) }
        }
      } onCancel: {
        cancel(number)
      }
    }

    private func unlock() {
      let next = state.withLock { state -> Waiter? in
        state.isTaken = !state.waiters.isEmpty
        return state.isTaken ? state.waiters.removeFirst().waiter : nil
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
