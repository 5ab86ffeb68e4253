import Dispatch
import Synchronization

/// Lets a task wait for something that happens in a callback.
nonisolated final class Signal: Sendable {
  private enum Phase {
    case quiet, fired
    case awaited(CheckedContinuation<Void, Never>)
  }
  private let phase = Mutex(Phase.quiet)

  func fire() {
    let waiter = phase.withLock { phase -> CheckedContinuation<Void, Never>? in
      defer { phase = .fired }
      if case .awaited(let continuation) = phase { return continuation }
      return nil
    }
    waiter?.resume()
  }

  func wait() async {
    await withCheckedContinuation { continuation in
      let fired = phase.withLock { phase -> Bool in
        if case .fired = phase { return true }
        phase = .awaited(continuation)
        return false
      }
      if fired { continuation.resume() }
    }
  }
}

/// Runs `body` on a thread outside Swift's concurrency.
nonisolated func onAThread<Result: Sendable>(_ body: @escaping @Sendable () -> Result) async -> Result {
  await withCheckedContinuation { continuation in
    DispatchQueue(label: "a thread").async { continuation.resume(returning: body()) }
  }
}
