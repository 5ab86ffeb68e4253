import Synchronization

/// A latch on which one task waits for a number of arrivals.
final class Latch: Sendable {
  private struct State {
    var missing: Int
    var waiting: CheckedContinuation<Void, Never>?
  }

  private let state: Mutex<State>

  init(_ count: Int) { state = Mutex(State(missing: count)) }

  func arrive() {
    let waiting = state.withLock { state in
      state.missing -= 1
      return state.missing == 0 ? state.waiting.take() : nil
    }
    waiting?.resume()
  }

  /// Waits for the arrivals; only one task may call this.
  func wait() async {
    await withCheckedContinuation { continuation in
      let isOpen = state.withLock { state in
        if state.missing > 0 { state.waiting = continuation }
        return state.missing <= 0
      }
      if isOpen { continuation.resume() }
    }
  }
}
