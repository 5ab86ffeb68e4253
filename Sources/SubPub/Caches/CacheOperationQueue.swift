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

/// The pending operations of one cache, in order.
///
/// Decides only. An operation that a later one makes obsolete is dropped, so a cache that is slow, or hangs, has few
/// operations to catch up on.
package struct PendingOperations {
  package typealias Operation = CacheOperationQueue.Operation

  /// The operations by their numbers, which are their order.
  package private(set) var operations: [Int: Operation] = [:]
  /// No operation has a smaller number.
  private var first = 0
  /// The number of the next one.
  private var end = 0
  /// The number of each read, and that of the only write.
  private var reads: [ObjectIdentifier: Int] = [:]
  private var write: Int?
  private var isRunning = false
  package var waiters = Waiters()
  /// The mark of each waiter, and the waiters of each mark: one mark for all that wait for the same operations.
  private var marks: [WaiterID: Int] = [:]
  private var marked: [Int: Set<WaiterID>] = [:]
  /// The number of clears that were requested; a read that began before the last one must not be used.
  private(set) var clears = 0
  /// Whether a clear is under way, or has failed.
  ///
  /// Until a clear succeeds or a value is written, the cache must not be read.
  var isTainted = false

  package init() {}

  package mutating func append(_ operation: Operation) -> [Operation] {
    var obsolete: [Operation] = []
    switch operation {
    case .read(let reader, _):
      // The load that requested the other read is over.
      obsolete = removeRead(for: reader)
      reads[reader] = end
    case .write(let hasNews, let work):
      // Takes the place of a pending write, so that reads in between find the newest value, and values don't pile up.
      if let write, let former = operations[write], case .write(let hadNews, _) = former {
        operations[write] = .write(hasNews: hasNews || hadNews, work)
        return [former]
      }
      write = end
    case .clear:
      clears += 1
      obsolete = removeAllButMarks()
    case .mark: break
    }
    operations[end] = operation
    end += 1
    return obsolete
  }

  mutating func removeRead(for reader: ObjectIdentifier) -> [Operation] {
    reads.removeValue(forKey: reader).flatMap { remove($0) }.map { [$0] } ?? []
  }

  private mutating func remove(_ number: Int) -> Operation? {
    let removed = operations.removeValue(forKey: number)
    while end > first, operations[end - 1] == nil { end -= 1 }
    return removed
  }

  /// Removes everything but a mark, at which all wait that have waited at one of several.
  private mutating func removeAllButMarks() -> [Operation] {
    var (removed, kept) = ([Operation](), Int?.none)
    for number in operations.keys.sorted() {
      guard case .mark? = operations[number] else {
        if let operation = operations.removeValue(forKey: number) { removed.append(operation) }
        continue
      }
      guard let mark = kept else {
        kept = number
        continue
      }
      operations[number] = nil
      for waiter in marked.removeValue(forKey: number) ?? [] {
        marks[waiter] = mark
        marked[mark, default: []].insert(waiter)
      }
    }
    (reads, write) = ([:], nil)
    return removed
  }

  /// Returns whether the caller has to run the operations until none is left.
  mutating func begin() -> Bool {
    guard !isRunning, !operations.isEmpty else { return false }
    isRunning = true
    return true
  }

  /// Takes the next operation to run; nil ends the run.
  mutating func next() -> Operation? {
    while first < end {
      defer { first += 1 }
      guard let operation = operations.removeValue(forKey: first) else { continue }
      if case .read(let reader, _) = operation { reads[reader] = nil }
      if write == first { write = nil }
      return operation
    }
    isRunning = false
    return nil
  }

  /// Adds a mark for a task that is about to wait; returns nil if there is nothing to wait for.
  package mutating func addMark() -> WaiterID? {
    if operations.isEmpty, !isRunning { return nil }
    let waiter = waiters.add(missing: 1)
    var mark = end
    if case .mark? = operations[end - 1] { mark = end - 1 } else { _ = append(.mark(mark)) }
    marks[waiter] = mark
    marked[mark, default: []].insert(waiter)
    return waiter
  }

  /// Returns the tasks that wait for a mark, because everything before it is done.
  mutating func passMark(_ mark: Int) -> [SuspendedTask] {
    (marked.removeValue(forKey: mark)?.sorted() ?? []).compactMap { waiter in
      marks[waiter] = nil
      return waiters.remove(waiter)
    }
  }

  /// Removes a waiter that was cancelled, and its mark if nobody else waits there; returns its task.
  mutating func removeMark(of waiter: WaiterID) -> SuspendedTask? {
    if let mark = marks.removeValue(forKey: waiter) {
      marked[mark]?.remove(waiter)
      if marked[mark]?.isEmpty ?? false {
        marked[mark] = nil
        _ = remove(mark)
      }
    }
    return waiters.remove(waiter)
  }
}
