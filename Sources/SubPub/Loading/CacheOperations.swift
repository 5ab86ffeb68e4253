/// The operations of one cache that wait, in order. Decides only.
///
/// Those that a later one makes needless are left out, so a cache that is slow, or hangs, has few to catch up with.
package struct CacheOperations {
  package typealias Work = @Sendable () async -> Void

  package enum Operation {
    /// For the active load of one manager.
    case read(for: ObjectIdentifier, Work)
    case write(Work)
    case clear(Work)
    /// Somebody waits until everything before it is done.
    case mark(WaiterID)
  }

  package private(set) var operations: [Operation] = []
  private(set) var isRunning = false
  package var waiters = WaiterTable()
  /// How often a clear was asked for: a read that began before the last one must not be used.
  private(set) var clears = 0
  /// A clear has failed: until one succeeds, or a value is written, what is there must not be read.
  var isTainted = false

  package init() {}

  var isIdle: Bool { operations.isEmpty && !isRunning }

  package mutating func append(_ operation: Operation) -> [Operation] {
    var needless: [Operation] = []
    switch operation {
    case .read(let manager, _):
      // The load that wanted the other one is over.
      needless = take { if case .read(manager, _) = $0 { true } else { false } }
    case .write:
      // It takes the place of one that waits, so that reads in between find what is newest, and values don't pile up.
      if let index = operations.lastIndex(where: { if case .write = $0 { true } else { false } }) {
        needless = [operations[index]]
        operations[index] = operation
        return needless
      }
    case .clear:
      clears += 1
      needless = take { if case .mark = $0 { false } else { true } }
    case .mark: break
    }
    operations.append(operation)
    return needless
  }

  /// Adds a mark for somebody who is going to wait.
  package mutating func addMark() -> WaiterID {
    let waiter = waiters.add(missing: 1)
    operations.append(.mark(waiter))
    return waiter
  }

  /// Whether the caller is to run the operations, one after the other, until there is none.
  mutating func begin() -> Bool {
    guard !isRunning, !operations.isEmpty else { return false }
    isRunning = true
    return true
  }

  /// The next operation for who runs them. Nil ends the run.
  mutating func next() -> Operation? {
    if operations.isEmpty {
      isRunning = false
      return nil
    }
    return operations.removeFirst()
  }

  /// Everything before the waiter's mark is done, or it doesn't wait any longer.
  package mutating func remove(_ waiter: WaiterID, _ after: inout AfterTurn) {
    operations.removeAll { if case .mark(waiter) = $0 { true } else { false } }
    waiters.remove(waiter, &after)
  }

  private mutating func take(_ isNeedless: (Operation) -> Bool) -> [Operation] {
    let taken = operations.filter(isNeedless)
    operations.removeAll(where: isNeedless)
    return taken
  }
}
