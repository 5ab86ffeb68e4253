import Dispatch
import Foundation
import Synchronization

/// Real threads that start together.
struct Threads: Sendable {
  let count: Int

  /// Runs the body on each thread, and returns the results when the last has finished.
  func run<R: Sendable>(_ body: @escaping @Sendable (_ index: Int) -> R) async -> [R] {
    let (barrier, awake, results) = (Barrier(count), Tally(), Guarded<[Int: R]>([:]))
    await withCheckedContinuation { (finished: CheckedContinuation<Void, Never>) in
      for index in 0..<count {
        Thread.detachNewThread {
          ThreadMark.becomeTestThread()
          barrier.pass()
          awake.add()
          // Until all are awake, or for a few microseconds on a machine with fewer cores than threads.
          var patience = 10_000
          while awake.count < count, patience > 0 { patience -= 1 }
          let result = body(index)
          let isLast = results.with { all in
            all[index] = result
            return all.count == count
          }
          if isLast { finished.resume() }
        }
      }
    }
    return results.value.sorted { $0.key < $1.key }.map(\.value)
  }

  /// Runs the body on one thread of its own, which it may block.
  static func alone<R: Sendable>(_ body: @escaping @Sendable () -> R) async -> R {
    await Threads(count: 1).run { _ in body() }[0]
  }
}

/// Lets threads go when all have arrived, again and again.
final class Barrier: @unchecked Sendable {
  private let size: Int
  private let condition = NSCondition()
  // Only accessed while the condition is locked.
  private var (arrived, cycle) = (0, 0)

  init(_ size: Int) { self.size = size }

  func pass() {
    condition.lock()
    defer { condition.unlock() }
    let current = cycle
    arrived += 1
    if arrived == size {
      (arrived, cycle) = (0, cycle + 1)
      return condition.broadcast()
    }
    while cycle == current { condition.wait() }
  }
}

/// A count that many threads share, and that orders nothing.
final class Tally: Sendable {
  private let total = Atomic<Int>(0)
  func add(_ count: Int = 1) { total.add(count, ordering: .relaxed) }
  var count: Int { total.load(ordering: .relaxed) }
}

/// Lets a task wait until a number of events have arrived.
final class Countdown: Sendable {
  private let state = Guarded<(missing: Int, waiting: CheckedContinuation<Bool, Never>?)>((0, nil))

  init(_ count: Int = 0) { expect(count) }

  func expect(_ count: Int) { state.with { $0.missing += count } }

  func arrive() {
    state.with { state in
      state.missing -= 1
      return state.missing == 0 ? state.waiting.take() : nil
    }?.resume(returning: true)
  }

  /// Returns false if some never arrive.
  func wait() async -> Bool {
    await withCheckedContinuation { continuation in
      let isComplete = state.with { state in
        if state.missing > 0 { state.waiting = continuation }
        return state.missing <= 0
      }
      if isComplete { continuation.resume(returning: true) } else { end(TestLimit.Wait()) }
    }
  }

  /// Ends the wait if it hangs.
  private func end(_ wait: TestLimit.Wait) {
    DispatchQueue.global().asyncAfter(deadline: .now() + .nanoseconds(wait.nanosecondsLeft)) { [weak self] in
      guard let self, state.with({ $0.waiting != nil }) else { return }
      if wait.nanosecondsLeft > 0 { end(wait) } else { state.with { $0.waiting.take() }?.resume(returning: false) }
    }
  }
}
