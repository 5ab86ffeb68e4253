/// The operations of one cache, one at a time, in the order of the turns that decided them (rule 5.10). All managers of
/// the cache share it, so what one clears another can't read.
///
/// Operations that a later one makes needless are left out, so a cache that is slow, or hangs, has few to catch up with.
final class CacheOperationQueue: Sendable {
  typealias Work = @Sendable () async -> Void

  enum Operation {
    /// For the active load of one manager.
    case read(for: ObjectIdentifier, Work)
    case write(Work)
    case clear(Work)
    /// Somebody waits until everything before it is done.
    case mark(WaiterID)
  }

  fileprivate struct State {
    var operations: [Operation] = []
    var isRunning = false
    var waiters = WaiterTable()
    /// How often a clear was asked for: a read that began before the last one must not be used.
    var clears = 0
    /// A clear has failed: until one succeeds, or a value is written, what is there must not be read.
    var isTainted = false
    /// The queue itself, while it is tainted: the next manager of the cache has to know.
    var kept: CacheOperationQueue?
  }

  private let state = Locked(State())
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
  func append(_ operation: Operation) -> [Operation] { state.withLock { $0.append(operation) } }

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
      guard state.isRunning || !state.operations.isEmpty else { return nil }
      let waiter = state.waiters.add(missing: 1)
      state.operations.append(.mark(waiter))
      return waiter
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

extension CacheOperationQueue.State {
  mutating func append(_ operation: CacheOperationQueue.Operation) -> [CacheOperationQueue.Operation] {
    var needless: [CacheOperationQueue.Operation] = []
    switch operation {
    case .read(let manager, _):
      // The load that wanted the other one is over.
      needless = take { if case .read(manager, _) = $0 { true } else { false } }
    case .write:
      if case .write = operations.last { needless = [operations.removeLast()] }
    case .clear:
      clears += 1
      needless = take { if case .mark = $0 { false } else { true } }
    case .mark: break
    }
    operations.append(operation)
    return needless
  }

  /// Whether the caller is to run the operations, one after the other, until there is none.
  mutating func begin() -> Bool {
    guard !isRunning, !operations.isEmpty else { return false }
    isRunning = true
    return true
  }

  /// The next operation for who runs them. Nil ends the run.
  mutating func next() -> CacheOperationQueue.Operation? {
    if operations.isEmpty {
      isRunning = false
      return nil
    }
    return operations.removeFirst()
  }

  /// Everything before the waiter's mark is done, or it doesn't wait any longer.
  mutating func remove(_ waiter: WaiterID, _ after: inout AfterTurn) {
    operations.removeAll { if case .mark(waiter) = $0 { true } else { false } }
    waiters.remove(waiter, &after)
  }

  private mutating func take(
    _ isNeedless: (CacheOperationQueue.Operation) -> Bool
  ) -> [CacheOperationQueue.Operation] {
    let taken = operations.filter(isNeedless)
    operations.removeAll(where: isNeedless)
    return taken
  }
}
