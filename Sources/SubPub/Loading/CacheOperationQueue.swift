/// The operations of one cache, one at a time, in the order of the turns that decided them (rule 5.10). All managers of
/// the cache share it, so what one clears another can't read.
final class CacheOperationQueue: Sendable {
  private let state = Locked(CacheOperations())
  private let identity: CacheIdentity?
  /// Kept for its identity, which may be an address.
  private let cache: any Sendable

  private init(_ identity: CacheIdentity?, _ cache: any Sendable) {
    self.identity = identity
    self.cache = cache
  }

  deinit {
    guard let identity else { return }
    // Another queue may have taken the place meanwhile.
    Self.entries.withLock { entries in
      let standing = entries[identity]?.queue
      if standing == nil { entries[identity] = nil }
      return standing
    }
  }
}

extension CacheOperationQueue {
  private struct Entry { weak var queue: CacheOperationQueue? }

  private static let entries = Locked<[CacheIdentity: Entry]>([:])

  /// The queue of that cache.
  static func of(_ cache: some StateCache) -> CacheOperationQueue {
    // Foreign code, so before the lock.
    guard let identity = cache.identity else { return CacheOperationQueue(nil, cache) }
    let new = CacheOperationQueue(identity, cache)
    return entries.withLock { entries in
      if let standing = entries[identity]?.queue { return standing }
      entries[identity] = Entry(queue: new)
      return new
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
      unsafe await withUnsafeContinuation { continuation in
        let wakeup = unsafe Wakeup(continuation)
        if !state.withLock({ $0.waiters.wait(waiter, wakeup) }) { wakeup.resume() }
      }
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
  func taint() {
    state.withLock { state in
      state.isTainted = true
      // The next manager of the cache has to know.
      if identity != nil { state.kept = self }
    }
  }

  /// A clear has succeeded, or a value was written over what was there.
  func removeTaint() {
    let kept = state.withLock { state in
      state.isTainted = false
      return state.kept.take()
    }
    withExtendedLifetime(kept) {}
  }
}
