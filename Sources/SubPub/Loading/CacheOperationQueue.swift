/// The operations of one cache, one at a time, in the order of the turns that decided them (rule 5.10). All managers of
/// the cache share it, so what one clears another can't read.
package final class CacheOperationQueue: Sendable {
  private let state = Locked(CacheOperations())
  private let identity: CacheIdentity?

  private init(_ identity: CacheIdentity?) { self.identity = identity }

  /// The queue of that cache. A manager keeps its cache, and so what identifies it, alive.
  static func of(_ cache: some StateCache) -> CacheOperationQueue {
    // Foreign code, so before the lock.
    guard let identity = cache.identity else { return CacheOperationQueue(nil) }
    let new = CacheOperationQueue(identity)
    return table.withLock { $0.join(identity, with: new) }.queue
  }

  private static let table = Locked(Table())

  /// How many caches have an entry in the table: at most about twice as many as are in use, and tainted names.
  package static var count: Int { table.withLock { $0.entries.count } }
}

/// Where managers find the queue of their cache.
extension CacheOperationQueue {
  private struct Table {
    struct Entry {
      weak var queue: CacheOperationQueue?
      /// The queue of a tainted cache stays, for its next manager has to know.
      var tainted: CacheOperationQueue?
    }

    private(set) var entries: [CacheIdentity: Entry] = [:]
    private var sweepsAt = 16

    /// Returns the queue, and objects that are to be released after the unlock.
    mutating func join(
      _ identity: CacheIdentity, with new: CacheOperationQueue
    ) -> (queue: CacheOperationQueue, lookedAt: [any AnyObject & Sendable]) {
      // An address that was a dead object's may be another's by now.
      if let standing = entries[identity]?.queue, let known = standing.identity, known.isNamed || known.object != nil {
        return (standing, [])
      }
      entries[identity] = Entry(queue: new)
      return (new, entries.count < sweepsAt ? [] : sweep())
    }

    mutating func setTainted(_ queue: CacheOperationQueue?, at identity: CacheIdentity) {
      entries[identity]?.tainted = queue
    }

    /// Removes what is out of use: queues that have gone, and tainted ones whose object has. The look at a living
    /// object may turn out to be its last release.
    private mutating func sweep() -> [any AnyObject & Sendable] {
      var lookedAt: [any AnyObject & Sendable] = []
      entries = entries.filter { _, entry in
        guard let identity = entry.tainted?.identity, !identity.isNamed else { return entry.queue != nil }
        guard let object = identity.object else { return false }
        lookedAt.append(object)
        return true
      }
      sweepsAt = max(16, 2 * entries.count)
      return lookedAt
    }
  }
}

extension CacheOperationQueue {
  /// Adds an operation. What it makes needless is handed out: its closures hold values, so they are released outside
  /// every turn.
  func append(_ operation: CacheOperations.Operation) -> [CacheOperations.Operation] {
    state.withLock { $0.append(operation) }
  }

  /// Has the operations run that there are. A task holds what it needs, and no publisher: the cache is written even if
  /// everything else has gone.
  func run(on executor: (any TaskExecutor)?) {
    guard state.withLock({ $0.begin() }) else { return }
    Task.detached(executorPreference: executor) {
      while let operation = self.state.withLock({ $0.next() }) {
        switch operation {
        case .read(_, let work), .write(let work), .clear(let work): await work()
        case .mark(let waiter): self.resume(waiter)
        }
      }
    }
  }

  /// Returns when everything that was asked for until now is done, or the task is cancelled.
  func drain() async {
    let waiter = state.withLock { state -> WaiterID? in
      state.isIdle ? nil : state.addMark()
    }
    guard let waiter else { return }
    await withTaskCancellationHandler {
      await Wakeup.wait { wakeup in state.withLock { $0.waiters.wait(waiter, wakeup) } }
      // As in `PublisherRegistry.wait(for:)`.
      state.withLock { _ in }
    } onCancel: {
      resume(waiter)
    }
  }

  private func resume(_ waiter: WaiterID) {
    var after = AfterTurn()
    state.withLock { $0.remove(waiter, &after) }
    after.act()
  }
}

/// What operations find out about the cache's value.
extension CacheOperationQueue {
  /// Whether a clear has failed.
  var isTainted: Bool { state.withLock { $0.isTainted } }

  /// How often a clear was asked for.
  var clears: Int { state.withLock { $0.clears } }

  /// A clear begins.
  func taint() { setTainted(true) }

  /// A clear has succeeded, or a value was written over what was there.
  func removeTaint() { setTainted(false) }

  private func setTainted(_ isTainted: Bool) {
    let changes = state.withLock { state in
      defer { state.isTainted = isTainted }
      return state.isTainted != isTainted
    }
    if changes, let identity { Self.table.withLock { $0.setTainted(isTainted ? self : nil, at: identity) } }
  }
}
