/// Runs the operations of one cache, one at a time, in the order of the turns that decided them (5.10). All managers of the
/// cache share the queue, so what one of them clears, no other can read.
package final class CacheOperationQueue: Sendable {
  package typealias Work = @Sendable () async -> Void

  package enum Operation {
    /// For the active load of one manager.
    case read(for: ObjectIdentifier, Work)
    case write(Work)
    case clear(Work)
    /// Resumes a task that waits until everything before it is done.
    case mark(WaiterID)
  }

  private let pending = Locked(PendingOperations())
  private let identity: CacheIdentity?

  private init(_ identity: CacheIdentity?) { self.identity = identity }

  /// Appends an operation. Returns the operations that it makes obsolete: their closures hold values, so they are released
  /// outside every turn.
  func append(_ operation: Operation) -> [Operation] { pending.withLock { $0.append(operation) } }

  /// Runs the pending operations in a task. The task holds what it needs, but no publisher: a value is written even if
  /// everything else is gone.
  func run(on executor: (any TaskExecutor)?) {
    guard pending.withLock({ $0.begin() }) else { return }
    Task.detached(executorPreference: executor) {
      while let operation = self.pending.withLock({ $0.next() }) {
        switch operation {
        case .read(_, let work), .write(let work), .clear(let work): await work()
        case .mark(let waiter): self.resume(waiter)
        }
      }
    }
  }

  /// Returns when everything that has been appended is done, or when the task is cancelled.
  func drain() async {
    guard let waiter = pending.withLock({ $0.addMark() }) else { return }
    await withTaskCancellationHandler {
      await SuspendedTask.wait { task in pending.withLock { $0.waiters.suspend(waiter, task) } }
      // As in `PublisherRegistry.wait(for:)`.
      pending.withLock { _ in }
    } onCancel: {
      resume(waiter)
    }
  }

  private func resume(_ waiter: WaiterID) {
    var effects = Effects()
    pending.withLock { $0.removeMark(of: waiter, &effects) }
    effects.perform()
  }
}

/// What operations know of the cache's value.
extension CacheOperationQueue {
  /// Whether a clear has failed.
  var isTainted: Bool { pending.withLock { $0.isTainted } }

  /// How many clears were requested.
  var clears: Int { pending.withLock { $0.clears } }

  /// A clear begins.
  func taint() { setTainted(true) }

  /// A clear has succeeded, or a new value has replaced the old one.
  func removeTaint() { setTainted(false) }

  private func setTainted(_ isTainted: Bool) {
    let changes = pending.withLock { pending in
      defer { pending.isTainted = isTainted }
      return pending.isTainted != isTainted
    }
    if changes, let identity { Self.table.withLock { $0.setTainted(isTainted ? self : nil, at: identity) } }
  }
}

/// Where managers find the queue of their cache.
extension CacheOperationQueue {
  /// The queue of that cache. A manager keeps its cache, and with it the identity's object, alive.
  static func of(_ cache: some StateCache) -> CacheOperationQueue {
    // Foreign code, so before the lock.
    guard let identity = cache.identity else { return CacheOperationQueue(nil) }
    let new = CacheOperationQueue(identity)
    return table.withLock { $0.queue(of: identity, orInsert: new) }.queue
  }

  private static let table = Locked(Table())

  /// The number of caches in the table: at most about twice as many as are in use, and tainted names.
  package static var count: Int { table.withLock { $0.entries.count } }

  private struct Table {
    struct Entry {
      weak var queue: CacheOperationQueue?
      /// The queue of a tainted cache stays, as the cache's next manager has to know.
      var tainted: CacheOperationQueue?
    }

    private(set) var entries: [CacheIdentity: Entry] = [:]
    private var sweepAt = 16

    /// Returns the queue, and objects to be released after the unlock.
    mutating func queue(
      of identity: CacheIdentity, orInsert new: CacheOperationQueue
    ) -> (queue: CacheOperationQueue, loaded: [any AnyObject & Sendable]) {
      // The address of an object that has died may be another's by now.
      if let existing = entries[identity]?.queue, let known = existing.identity, known.isNamed || known.object != nil {
        return (existing, [])
      }
      entries[identity] = Entry(queue: new)
      return (new, entries.count < sweepAt ? [] : sweep())
    }

    mutating func setTainted(_ queue: CacheOperationQueue?, at identity: CacheIdentity) {
      entries[identity]?.tainted = queue
    }

    /// Removes queues that are gone, and tainted ones whose object is gone. Loading a living object may turn out to be its
    /// last reference.
    private mutating func sweep() -> [any AnyObject & Sendable] {
      var loaded: [any AnyObject & Sendable] = []
      entries = entries.filter { _, entry in
        guard let identity = entry.tainted?.identity, !identity.isNamed else { return entry.queue != nil }
        guard let object = identity.object else { return false }
        loaded.append(object)
        return true
      }
      sweepAt = max(16, 2 * entries.count)
      return loaded
    }
  }
}

/// The pending operations of one cache, in order. Decides only.
///
/// An operation that a later one makes obsolete is dropped, so a cache that is slow, or hangs, has few to catch up with.
package struct PendingOperations {
  package private(set) var operations: [CacheOperationQueue.Operation] = []
  private var isRunning = false
  package var waiters = Waiters()
  /// How many clears were requested: a read that began before the last one must not be used.
  private(set) var clears = 0
  /// A clear has failed. Until one succeeds, or a value is written, the cache must not be read.
  var isTainted = false

  package init() {}

  package mutating func append(_ operation: CacheOperationQueue.Operation) -> [CacheOperationQueue.Operation] {
    var obsolete: [CacheOperationQueue.Operation] = []
    switch operation {
    case .read(let manager, _):
      // The load that wanted the other read is over.
      obsolete = remove { if case .read(manager, _) = $0 { true } else { false } }
    case .write:
      // Takes the place of a write that waits, so that reads in between find the newest value, and values don't pile up.
      if let index = operations.lastIndex(where: { if case .write = $0 { true } else { false } }) {
        obsolete = [operations[index]]
        operations[index] = operation
        return obsolete
      }
    case .clear:
      clears += 1
      obsolete = remove { if case .mark = $0 { false } else { true } }
    case .mark: break
    }
    operations.append(operation)
    return obsolete
  }

  private mutating func remove(
    where isObsolete: (CacheOperationQueue.Operation) -> Bool
  ) -> [CacheOperationQueue.Operation] {
    let removed = operations.filter(isObsolete)
    operations.removeAll(where: isObsolete)
    return removed
  }

  /// Whether the caller is to run the operations until none is left.
  mutating func begin() -> Bool {
    guard !isRunning, !operations.isEmpty else { return false }
    isRunning = true
    return true
  }

  /// The next operation to run. Nil ends the run.
  mutating func next() -> CacheOperationQueue.Operation? {
    if operations.isEmpty {
      isRunning = false
      return nil
    }
    return operations.removeFirst()
  }

  /// Adds a mark for a task that is going to wait. Nil if there is nothing to wait for.
  package mutating func addMark() -> WaiterID? {
    if operations.isEmpty, !isRunning { return nil }
    let waiter = waiters.add(missing: 1)
    operations.append(.mark(waiter))
    return waiter
  }

  /// Everything before the waiter's mark is done, or the waiter was cancelled.
  package mutating func removeMark(of waiter: WaiterID, _ effects: inout Effects) {
    operations.removeAll { if case .mark(waiter) = $0 { true } else { false } }
    waiters.remove(waiter, &effects)
  }
}
