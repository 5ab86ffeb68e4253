/// A state on its way to subscribers, with its version.
struct QueuedState: Sendable {
  let state: any BoxedPublication
  let version: UInt64

  init(_ state: any BoxedPublication, version: UInt64) { (self.state, self.version) = (state, version) }
}

/// Pending states in the order of their versions.
///
/// A ring buffer that keeps its memory, but no reference to a state that was removed.
struct StateQueue {
  private var ring: [QueuedState?] = []
  private var start = 0
  private(set) var count = 0
  /// The slot of the first subscription that receives the first state.
  ///
  /// A replay is only for new subscriptions; 0 means all.
  var firstSlot = 0

  var isEmpty: Bool { count == 0 }
  var last: QueuedState? { isEmpty ? nil : ring[position(count - 1)] }

  /// The version of the first state; doesn't retain the state.
  @inline(__always) var firstVersion: UInt64? { isEmpty ? nil : ring[start]?.version }

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

  /// Puts a state in front of the others, for subscriptions from a slot on.
  mutating func prepend(_ state: QueuedState, from slot: Int = 0) {
    if count == ring.count { grow() }
    start = (start - 1) & (ring.count - 1)
    ring[start] = state
    count += 1
    firstSlot = slot
  }

  /// Puts the states of another queue in front of the others; takes as long as the shorter queue is.
  mutating func prepend(_ other: inout StateQueue) {
    if other.isEmpty { return }
    let slot = other.firstSlot
    if other.count > count {
      swap(&self, &other)
      while let state = other.popFirst() { append(state) }
    } else {
      while let state = other.popLast() { prepend(state) }
    }
    firstSlot = slot
  }

  private mutating func popLast() -> QueuedState? {
    guard !isEmpty else { return nil }
    count -= 1
    return ring[position(count)].take()
  }

  /// Takes over the memory of another empty queue if that is larger, up to a reasonable size.
  mutating func recycle(_ other: inout StateQueue) {
    if isEmpty, other.ring.count > ring.count, other.ring.count <= 1024 { swap(&self, &other) }
  }

  /// Returns the position of an index in the ring, whose size is a power of two.
  private func position(_ index: Int) -> Int { (start + index) & (ring.count - 1) }

  /// Makes room for that many states.
  mutating func reserve(_ capacity: Int) {
    guard capacity > ring.count else { return }
    var size = max(4, ring.count)
    while size < capacity { size *= 2 }
    grow(to: size)
  }

  private mutating func grow() { grow(to: max(4, ring.count * 2)) }

  private mutating func grow(to capacity: Int) {
    var larger: [QueuedState?] = []
    larger.reserveCapacity(capacity)
    // Moved, because copying would retain and release each state.
    for index in 0..<count { larger.append(ring[position(index)].take()) }
    larger.append(contentsOf: repeatElement(nil, count: capacity - count))
    (ring, start) = (larger, 0)
  }
}
