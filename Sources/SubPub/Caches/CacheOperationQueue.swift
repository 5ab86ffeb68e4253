/// A queue that runs the operations of one cache, one at a time.
///
/// They run in the order of the turns that decided on them (5.10). All managers of the cache share the queue, so no
/// manager can read what another one has cleared.
package final class CacheOperationQueue: Sendable {
  package typealias Work = @Sendable () async -> Void

  package enum Operation {
    /// A read for the active load of one manager, or for a caller of its own.
    case read(for: ObjectIdentifier, Work)
    /// `hasNews` tells whether the value has a confirmed edit, or something pushed, which the value in the cache may
    /// lack.
    case write(hasNews: Bool, @Sendable (_ hasNews: Bool) async -> Void)
    case clear(Work)
    /// A mark that resumes tasks once everything before it is done; it is identified by its number.
    case mark(Int)
  }

  private let pending = Locked(PendingOperations())
  private let identity: CacheIdentity?

  private init(_ identity: CacheIdentity?) { self.identity = identity }

  /// Appends an operation, and returns the operations that it makes obsolete.
  ///
  /// Their closures hold values, so they are released outside every turn.
  func append(_ operation: Operation) -> [Operation] { pending.withLock { $0.append(operation) } }

  /// Removes a read whose caller doesn't wait any longer.
  func removeRead(for reader: ObjectIdentifier) {
    withExtendedLifetime(pending.withLock { $0.removeRead(for: reader) }) {}
  }

  /// Runs the pending operations in a task.
  ///
  /// The task holds everything that it needs, but no publisher: a value is written even if everything else is gone.
  func run(on executor: (any TaskExecutor)?) {
    guard pending.withLock({ $0.begin() }) else { return }
    Task.detached(executorPreference: executor) {
      while let operation = self.pending.withLock({ $0.next() }) {
        switch operation {
        case .read(_, let work), .clear(let work): await work()
        case .write(let hasNews, let work): await work(hasNews)
        case .mark(let mark): for task in self.pending.withLock({ $0.passMark(mark) }) { task.resume() }
        }
      }
    }
  }

  /// Waits until all operations appended so far are done, or the task is cancelled.
  func drain() async {
    guard let waiter = pending.withLock({ $0.addMark() }) else { return }
    await SuspendedTask.wait { task in
      pending.withLock { $0.waiters.suspend(waiter, task) }
    } onCancel: {
      pending.withLock { $0.removeMark(of: waiter) }?.resume()
    }
    // As in `PublisherRegistry.wait(for:)`.
    pending.withLock { _ in }
  }
}

/// The state of the cache's value, as far as operations know it.
extension CacheOperationQueue {
  /// Whether a clear is under way, or has failed, and no value was written since.
  var isTainted: Bool {
    get { pending.withLock { $0.isTainted } }
    set {
      let changes = pending.withLock { pending in
        defer { pending.isTainted = newValue }
        return pending.isTainted != newValue
      }
      if changes, let identity { Self.table.withLock { $0.entries[identity]?.tainted = newValue ? self : nil } }
    }
  }

  /// The number of clears that were requested.
  var clears: Int { pending.withLock { $0.clears } }
}

/// The table in which managers find the queue of their cache.
extension CacheOperationQueue {
  /// Returns the queue of a cache.
  ///
  /// A manager keeps its cache alive, and with it the object of the identity.
  static func of(_ cache: some StateCache) -> CacheOperationQueue {
    // Foreign code, so before the lock.
    guard let identity = cache.identity else { return CacheOperationQueue(nil) }
    let new = CacheOperationQueue(identity)
    return table.withLock { $0.queue(of: identity, orInsert: new) }.queue
  }

  private static let table = Locked(Table())

  /// The number of caches in the table.
  ///
  /// At most about twice as many as are in use, plus the tainted names.
  package static var count: Int { table.withLock { $0.entries.count } }

  private struct Table {
    struct Entry {
      weak var queue: CacheOperationQueue?
      /// The queue of a tainted cache, which is kept because the cache's next manager needs to know.
      var tainted: CacheOperationQueue?
    }

    var entries: [CacheIdentity: Entry] = [:]
    private var sweepAt = 16

    /// Returns the queue, and objects to be released after the unlock.
    mutating func queue(
      of identity: CacheIdentity, orInsert new: CacheOperationQueue
    ) -> (queue: CacheOperationQueue, loaded: [any AnyObject & Sendable]) {
      // The object may have died, and its address may be another object's by now.
      if let existing = entries[identity]?.queue, let known = existing.identity, known.isNamed || known.object != nil {
        return (existing, [])
      }
      entries[identity] = Entry(queue: new)
      return (new, entries.count < sweepAt ? [] : sweep())
    }

    /// Removes queues that are gone, and tainted ones whose object is gone.
    ///
    /// Loading a living object may turn out to be its last reference.
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
