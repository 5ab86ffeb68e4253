import SubPub

/// Ends the wait of one task. It rings once: the first reason counts.
final class Bell: Sendable {
  /// Why a wait ended.
  enum Reason { case reached, cancelled, late }

  private enum Phase {
    case silent
    case awaited(CheckedContinuation<Void, Never>)
    case rung(Reason)
  }

  private let phase = Locked(Phase.silent)

  /// Wakes the task that waits, or will. Not to be called under a lock: the task may run at once.
  func ring(_ reason: Reason) {
    let continuation = phase.withLock { phase -> CheckedContinuation<Void, Never>? in
      switch phase {
      case .rung:
        return nil
      case .silent:
        phase = .rung(reason)
        return nil
      case .awaited(let continuation):
        phase = .rung(reason)
        return continuation
      }
    }
    continuation?.resume()
  }

  private var reason: Reason? {
    phase.withLock { if case .rung(let reason) = $0 { reason } else { nil } }
  }

  private func ring(at deadline: ContinuousClock.Instant) async {
    // Thrown when the wait ended before.
    guard (try? await Task.sleep(until: deadline, clock: .continuous)) != nil else { return }
    ring(.late)
  }

  private func heard() async -> Reason {
    // The reason is left under the lock: ThreadSanitizer doesn't see how a continuation hands a value over.
    await withCheckedContinuation { continuation in
      let isRung = phase.withLock { phase -> Bool in
        if case .rung = phase { return true }
        phase = .awaited(continuation)
        return false
      }
      if isRung { continuation.resume() }
    }
    guard let reason else { fatalError("A task was resumed by something other than its bell") }
    return reason
  }
}

extension Bell {
  /// Waits for a bell of its own, until it is rung, the task is cancelled or the deadline has come.
  ///
  /// `hang` puts the bell where someone will ring it, and says false if there is nothing to wait for: then the
  /// reason is `reached`. `takeDown` removes it again if it is still there when the wait ends for another reason; on
  /// cancellation that happens before `cancel()` returns.
  static func wait(
    until deadline: ContinuousClock.Instant? = nil, hang: (Bell) -> Bool,
    takeDown: @Sendable (Bell) -> Void
  ) async -> Reason {
    let bell = Bell()
    guard hang(bell) else { return .reached }
    let reason = await withTaskCancellationHandler {
      await bell.heard(until: deadline)
    } onCancel: {
      takeDown(bell)
      bell.ring(.cancelled)
    }
    if reason == .late { takeDown(bell) }
    return reason
  }

  private func heard(until deadline: ContinuousClock.Instant?) async -> Reason {
    guard let deadline else { return await heard() }
    // Cancelled, and awaited, when this function returns.
    async let _ = ring(at: deadline)
    return await heard()
  }
}
