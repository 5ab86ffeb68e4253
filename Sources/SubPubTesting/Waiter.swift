import SubPub
import Synchronization

/// One wait of one task, which ends for the first reason that is given.
final class Waiter: Sendable {
  /// The reason why a wait ended.
  enum Reason { case reached, cancelled, timedOut }

  private enum Phase {
    case pending
    case suspended(CheckedContinuation<Void, Never>)
    case finished(Reason)
  }

  /// Greater than that of every waiter that was made before.
  let number = Waiter.last.add(1, ordering: .relaxed).newValue
  private static let last = Atomic<Int>(0)
  private let phase = Locked(Phase.pending)

  /// Ends the wait, even if it hasn't begun yet.
  ///
  /// Not to be called under a lock: the task may run at once.
  func finish(_ reason: Reason) {
    let continuation = phase.withLock { phase -> CheckedContinuation<Void, Never>? in
      switch phase {
      case .finished:
        return nil
      case .pending:
        phase = .finished(reason)
        return nil
      case .suspended(let continuation):
        phase = .finished(reason)
        return continuation
      }
    }
    continuation?.resume()
  }

  private var reason: Reason? {
    phase.withLock { if case .finished(let reason) = $0 { reason } else { nil } }
  }

  /// Whether the wait has ended, so that nobody stores the waiter any more.
  var isOver: Bool { reason != nil }

  private func finish(at deadline: ContinuousClock.Instant) async {
    // The sleep throws if the wait ends first.
    guard (try? await Task.sleep(until: deadline, clock: .continuous)) != nil else { return }
    finish(.timedOut)
  }

  private func wait() async -> Reason {
    // The reason is passed under the lock: ThreadSanitizer doesn't see how a continuation passes a value.
    await withCheckedContinuation { continuation in
      let isFinished = phase.withLock { phase -> Bool in
        if case .finished = phase { return true }
        phase = .suspended(continuation)
        return false
      }
      if isFinished { continuation.resume() }
    }
    guard let reason else { fatalError("A task was resumed by something other than its waiter") }
    return reason
  }

  private func wait(until deadline: ContinuousClock.Instant?) async -> Reason {
    guard let deadline else { return await wait() }
    // Cancelled, and awaited, when this function returns.
    async let _ = finish(at: deadline)
    return await wait()
  }
}

extension Waiter {
  /// Waits with a new waiter until it is finished, the task is cancelled, or the deadline has passed.
  ///
  /// `register` stores the waiter where it will be finished, unless the wait is over already, and returns false if
  /// there is nothing to wait for: the reason is `reached` then. `unregister` removes the waiter if the wait ends for
  /// another reason; on cancellation, before `cancel()` returns.
  static func wait(
    until deadline: ContinuousClock.Instant? = nil, register: (Waiter) -> Bool,
    unregister: @Sendable (Waiter) -> Void
  ) async -> Reason {
    let waiter = Waiter()
    let reason = await withTaskCancellationHandler {
      register(waiter) ? await waiter.wait(until: deadline) : .reached
    } onCancel: {
      // In this order, so that whoever registers the waiter at the same time does it before, or not at all.
      waiter.finish(.cancelled)
      unregister(waiter)
    }
    if reason == .timedOut { unregister(waiter) }
    return reason
  }
}

extension [Waiter] {
  /// Finishes each of the waits, in order; not to be called under a lock.
  func finishAll() { for waiter in self { waiter.finish(.reached) } }
}

/// The waiters of a count, each of which waits until the count has reached a goal.
///
/// Decides only: the caller finishes the waits.
struct CountWaiters {
  private var waiting: [(goal: Int, waiter: Waiter)] = []

  /// Adds a waiter, which `reached` returns once the count is at least `goal`, unless its wait is over.
  mutating func add(_ waiter: Waiter, goal: Int) { if !waiter.isOver { waiting.append((goal, waiter)) } }

  /// Removes the waiter if it is present.
  mutating func remove(_ waiter: Waiter) { waiting.removeAll { $0.waiter === waiter } }

  /// Removes and returns the waiters whose goal the count has reached, in the order in which they were added.
  mutating func reached(_ count: Int) -> [Waiter] {
    if waiting.isEmpty { return [] }
    let due = waiting.filter { $0.goal <= count }.map(\.waiter)
    if !due.isEmpty { waiting.removeAll { $0.goal <= count } }
    return due
  }
}
