/// States that wait, in order. A ring that keeps its memory and holds no reference to what was taken.
package struct ItemQueue {
  private var ring: [Item?] = []
  private var start = 0
  package private(set) var count = 0
  /// Whom the first state is for: the entries from here on. A replay is for newcomers only; 0 means everyone.
  package var firstIsFrom = 0

  package var isEmpty: Bool { count == 0 }
  var first: Item? { isEmpty ? nil : ring[start] }
  var last: Item? { isEmpty ? nil : ring[position(count - 1)] }

  /// The first state, and from which entry on it is to be delivered.
  var upcoming: (ordinal: UInt64, from: Int)? { isEmpty ? nil : (ordinal(at: 0), firstIsFrom) }

  /// Of the state there; 0 if there is none.
  package func ordinal(at index: Int) -> UInt64 { index < count ? ring[position(index)]?.ordinal ?? 0 : 0 }

  @inline(__always)
  mutating func append(_ item: Item) {
    if count == ring.count { grow() }
    ring[position(count)] = item
    count += 1
  }

  mutating func popFirst() -> Item? {
    guard !isEmpty else { return nil }
    firstIsFrom = 0
    let item = ring[start].take()
    start = (start + 1) & (ring.count - 1)
    count -= 1
    return item
  }

  /// Takes some out of the middle, and hands them out. Moves what is on the shorter side of them.
  mutating func remove(_ range: Range<Int>, _ body: (Item) -> Void) {
    guard !range.isEmpty else { return }
    if range.lowerBound == 0 { firstIsFrom = 0 }
    for index in range { if let item = ring[position(index)].take() { body(item) } }
    if range.lowerBound <= count - range.upperBound {
      for index in (0..<range.lowerBound).reversed() {
        ring.swapAt(position(index), position(index + range.count))
      }
      start = position(range.count)
    } else {
      for index in range.upperBound..<count { ring.swapAt(position(index), position(index - range.count)) }
    }
    count -= range.count
  }

  /// Adds the states of another queue in their places; what both have is handed out once.
  mutating func merge(_ other: consuming ItemQueue, _ body: (Item) -> Void) {
    var merged = ItemQueue()
    while let theirs = other.popFirst() {
      while let mine = first, mine.ordinal <= theirs.ordinal {
        if mine.ordinal == theirs.ordinal { body(mine) } else { merged.append(mine) }
        _ = popFirst()
      }
      merged.append(theirs)
    }
    while let mine = popFirst() { merged.append(mine) }
    self = merged
  }

  /// How many are not later than that state. They ascend, so half of them are ruled out with each look.
  func count(upTo ordinal: UInt64) -> Int {
    if ordinal == .max { return count }
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if self.ordinal(at: middle) <= ordinal { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// Takes the memory of an empty queue, if it has more of a reasonable size.
  mutating func recycle(_ other: inout ItemQueue) {
    if isEmpty, other.ring.count > ring.count, other.ring.count <= 1024 { swap(&self, &other) }
  }

  /// A power of two, so that positions wrap by a mask.
  private func position(_ index: Int) -> Int { (start + index) & (ring.count - 1) }

  private mutating func grow() {
    let capacity = max(4, ring.count * 2)
    var larger: [Item?] = []
    larger.reserveCapacity(capacity)
    // Moved: to retain and release every state would touch each of them.
    for index in 0..<count { larger.append(ring[position(index)].take()) }
    larger.append(contentsOf: repeatElement(nil, count: capacity - count))
    (ring, start) = (larger, 0)
  }
}
