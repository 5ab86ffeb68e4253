import Dispatch
import Support

/// Lets a task wait until a number of events have arrived.
final class Countdown: Sendable {
  private let state = Guarded(State())

  private struct State: Sendable {
    var missing = 0
    var waiting: CheckedContinuation<Bool, Never>?
  }

  init(_ count: Int = 0) { expect(count) }

  func expect(_ count: Int) { state.with { $0.missing += count } }

  func arrive() {
    state.with { state in
      state.missing -= 1
      return state.missing == 0 ? state.waiting.take() : nil
    }?.resume(returning: true)
  }

  /// Returns false if some have not arrived in time.
  func wait(seconds: Int = 30) async -> Bool {
    await withCheckedContinuation { continuation in
      let isComplete = state.with { state in
        if state.missing > 0 { state.waiting = continuation }
        return state.missing <= 0
      }
      if isComplete { return continuation.resume(returning: true) }
      DispatchQueue.global().asyncAfter(deadline: .now() + .seconds(seconds)) { [state] in
        state.with { $0.waiting.take() }?.resume(returning: false)
      }
    }
  }
}
