/// A state on its way to subscribers, with its version.
package struct QueuedState: Sendable {
  package let state: any BoxedPublication
  package let version: UInt64

  package init(_ state: any BoxedPublication, version: UInt64) {
    self.state = state
    self.version = version
  }
}

/// Pending states in the order of their versions: a ring buffer that keeps its memory, and keeps no reference to a state
/// that was taken out.
package struct StateQueue {
  private var ring: [QueuedState?] = []
  private var start = 0
  package private(set) var count = 0
  /// The slot of the first subscription that the first state is for. A replay is for newcomers only; 0 means everyone.
  package var firstSlot = 0

  package init() {}

  package var isEmpty: Bool { count == 0 }
  var first: QueuedState? { isEmpty ? nil : ring[start] }
  var last: QueuedState? { isEmpty ? nil : ring[position(count - 1)] }

  /// The version of the first state. Doesn't retain the state.
  @inline(__always) var firstVersion: UInt64? { isEmpty ? nil : ring[start]?.version }

  /// The version of the first state, and the slot of the first subscription that it is for.
  var upcoming: (version: UInt64, slot: Int)? { firstVersion.map { ($0, firstSlot) } }

  @inline(__always)
  mutating func append(_ state: QueuedState) {
    if count == ring.count { grow() }
    ring[position(count)] = state
    count += 1
  }

  mutating func popFirst() -> QueuedState? {
    guard !isEmpty else { return nil }
    firstSlot = 0
    let state = ring[start].take()
    start = (start + 1) & (ring.count - 1)
    count -= 1
    return state
  }

  /// Merges the states of another queue, in order of version. Passes duplicates to `discard`.
  mutating func merge(_ other: consuming StateQueue, discard: (QueuedState) -> Void) {
    var merged = StateQueue()
    while let theirs = other.popFirst() {
      while let mine = first, mine.version <= theirs.version {
        if mine.version == theirs.version { discard(mine) } else { merged.append(mine) }
        _ = popFirst()
      }
      merged.append(theirs)
    }
    while let mine = popFirst() { merged.append(mine) }
    self = merged
  }

  /// How many states precede that version. A binary search.
  func count(before version: UInt64) -> Int {
    if version == .max { return count }
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if let state = ring[position(middle)], state.version < version { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// Takes over the memory of another empty queue if that has more of it, up to a reasonable size.
  mutating func recycle(_ other: inout StateQueue) {
    if isEmpty, other.ring.count > ring.count, other.ring.count <= 1024 { swap(&self, &other) }
  }

  /// The ring's size is a power of two, so positions wrap with a mask.
  private func position(_ index: Int) -> Int { (start + index) & (ring.count - 1) }

  private mutating func grow() {
    let capacity = max(4, ring.count * 2)
    var larger: [QueuedState?] = []
    larger.reserveCapacity(capacity)
    // Moves the states: copying would retain and release each of them.
    for index in 0..<count { larger.append(ring[position(index)].take()) }
    larger.append(contentsOf: repeatElement(nil, count: capacity - count))
    (ring, start) = (larger, 0)
  }
}
