import Foundation
import Support
import Synchronization

/// Real threads that start together.
struct ThreadGroup: Sendable {
  let size: Int

  /// Runs the body on each thread, and returns the results when the last has finished.
  func run<R: Sendable>(_ body: @escaping @Sendable (_ index: Int) -> R) async -> [R] {
    let barrier = Barrier(size)
    let results = Guarded<[Int: R]>([:])
    let size = size
    await withCheckedContinuation { (finished: CheckedContinuation<Void, Never>) in
      for index in 0..<size {
        Thread.detachNewThread {
          ThreadMark.becomeTestThread()
          barrier.pass()
          let result = body(index)
          let isLast = results.with { all in
            all[index] = result
            return all.count == size
          }
          if isLast { finished.resume() }
        }
      }
    }
    return results.with { all in all.sorted { $0.key < $1.key }.map(\.value) }
  }

  /// Runs the body on one thread of its own, which it may block.
  static func alone<R: Sendable>(_ body: @escaping @Sendable () -> R) async -> R {
    await ThreadGroup(size: 1).run { _ in body() }[0]
  }
}

/// Lets all threads go at once.
///
/// They sleep until the last has arrived, and then spin until all are awake, or for a few microseconds on a machine with
/// fewer cores than threads.
private final class Barrier: Sendable {
  private let size: Int
  private let condition = NSCondition()
  private let arrived = Atomic<Int>(0)
  private let awake = Atomic<Int>(0)

  init(_ size: Int) { self.size = size }

  func pass() {
    condition.lock()
    if arrived.add(1, ordering: .relaxed).newValue == size {
      condition.broadcast()
    } else {
      while arrived.load(ordering: .relaxed) < size { condition.wait() }
    }
    condition.unlock()
    awake.add(1, ordering: .relaxed)
    var patience = 10_000
    while awake.load(ordering: .relaxed) < size, patience > 0 { patience -= 1 }
  }
}
