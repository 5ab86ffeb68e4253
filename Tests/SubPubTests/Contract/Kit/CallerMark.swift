import SubPub

/// Tells whether a delivery runs inside a call that the test is making on the same thread.
final class CallerMark: Sendable {
  private struct State {
    var caller: ThreadToken?
    var deliveries = 0
    var insideCalls = 0
  }

  private let state = Locked(State())

  /// Marks the calling thread for the time of the body.
  func during(_ body: () -> Void) {
    state.withLock { $0.caller = .current }
    body()
    state.withLock { $0.caller = nil }
  }

  /// What a delivery calls.
  func note() {
    state.withLock { state in
      state.deliveries += 1
      if state.caller == .current { state.insideCalls += 1 }
    }
  }

  var deliveries: Int { state.withLock(\.deliveries) }
  /// How many deliveries ran inside a call that was marked.
  var insideCalls: Int { state.withLock(\.insideCalls) }
}
