import SubPub

/// A loader that returns which call it was, and counts how many calls ran at once.
final class CountedLoader: Sendable {
  private struct State {
    var calls = 0
    var running = 0
    var mostAtOnce = 0
  }

  private let state = Locked(State())

  var calls: Int { state.withLock(\.calls) }
  var mostAtOnce: Int { state.withLock(\.mostAtOnce) }

  func load() async -> Int {
    let call = state.withLock { state in
      state.calls += 1
      state.running += 1
      state.mostAtOnce = max(state.mostAtOnce, state.running)
      return state.calls - 1
    }
    // Others get their turn.
    await Task.yield()
    state.withLock { $0.running -= 1 }
    return call
  }
}
