import Foundation
import Synchronization

/// Lets all threads go at once: they sleep until the last has come, then spin until every one is awake, or for a few
/// microseconds where there are fewer cores than threads.
final class Barrier: Sendable {
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
