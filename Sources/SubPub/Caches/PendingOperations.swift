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
