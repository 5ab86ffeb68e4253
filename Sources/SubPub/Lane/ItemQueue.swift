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

  package subscript(index: Int) -> Item? { ring[position(index)] }

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

  /// Takes one out of the middle. Moves what comes after it.
  mutating func remove(at index: Int) -> Item? {
    if index == 0 { return popFirst() }
    let item = ring[position(index)].take()
    for later in (index + 1)..<count { ring.swapAt(position(later - 1), position(later)) }
    count -= 1
    return item
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
    for index in 0..<count { larger.append(ring[position(index)]) }
    larger.append(contentsOf: repeatElement(nil, count: capacity - count))
    (ring, start) = (larger, 0)
  }
}
