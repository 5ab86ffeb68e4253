extension StatePublisher {
  /// Returns the list by its changes, as an asynchronous sequence: first the whole list, then only what differs.
  ///
  /// Each change is the difference to the list that this iterator was given last, however many states it has skipped in
  /// between. So applying every change in order, beginning with an empty list, gives the list of some published state
  /// each time, and in the end that of the last one (6.06). Under `.latest` nothing is lost but steps in between.
  ///
  /// ```swift
  /// struct Row: Identifiable, Equatable { let id: Int; var name: String }
  /// let rows = Publisher<[Row]>(initial: [Row(id: 1, name: "one")])
  /// var list: [Row] = []
  /// for await change in rows.changes(buffering: .latest) {
  ///   list = change.applied(to: list)
  ///   print(change, list)
  /// }
  /// ```
  ///
  /// The list is the loaded value, or the previous value while loading and after an error. A state with an equal list
  /// gives no change, and neither does one without a list, except after a list that wasn't empty: then it is a reset to
  /// an empty list, so nothing is shown any longer after a logout. The list that follows such a state is a reset, too.
  ///
  /// Elements belong together if they have the same identifier. Of those that stay, the fewest possible are moved. If
  /// an identifier occurs several times in a list, the change is still right by its indices, but by identifier it is
  /// ambiguous.
  ///
  /// The iterator compares the lists in its `next()`, where its task runs, and while nothing is locked (1.04). It keeps
  /// the list that it was given last. Its statistics count states, including those that give no change. The sequence
  /// doesn't keep the publisher alive (3.06).
  ///
  /// - Parameters:
  ///   - buffering: How many states may be pending for each iterator.
  ///   - label: A name for logs and snapshots.
  /// - Returns: A sequence that any number of tasks can iterate.
  /// - Complexity: O(*n*) for each state; O(1) if its list is the same array as before. Elements that were replaced in
  ///   place are compared and not hashed. If some were moved, O(*m* log *m*) comparisons of integers come on top, where
  ///   *m* is the number of those that have stayed.
  @inlinable
  public func changes<Element: Identifiable & Equatable & Sendable>(
    buffering: BufferingPolicy = .unbounded, label: String? = nil
  ) -> ListChangeSequence<Element> where Value == [Element], Element.ID: Sendable {
    // Specialized in the caller's module, where the type of the elements is known.
    PublisherSequence(changesOf: _access.registry, buffering: buffering, label: label) {
      var given = GivenList<Element>()
      return { given.change(to: $0.state.value) }
    }
  }
}

/// The list of a publisher by its changes, beginning with the whole list.
public typealias ListChangeSequence<Element: Identifiable & Equatable & Sendable> =
  PublisherSequence<[Element], ListChange<Element.ID, Element>> where Element.ID: Sendable

/// The list that a consumer of changes was given last.
@frozen
@usableFromInline
struct GivenList<Element: Identifiable & Equatable & Sendable> where Element.ID: Sendable {
  @usableFromInline typealias Change = ListChange<Element.ID, Element>

  /// Nil before the first list, and empty after a state without one.
  @usableFromInline var list: [Element]?
  /// Whether the next list is given as a whole: there was none before, or the last state had none.
  @usableFromInline var isResetDue = true

  @inlinable init() {}

  /// Returns the change to a newer list, or to a state without one; nil if there is nothing to give.
  @inlinable
  mutating func change(to new: [Element]?) -> Change? {
    guard let new else {
      isResetDue = true
      if list?.isEmpty ?? true { return nil }
      list = []
      return .reset([])
    }
    defer { (list, isResetDue) = (new, false) }
    guard let list else { return .reset(new) }
    if isResetDue { return new.isEmpty ? nil : .reset(new) }
    return list.hasStorage(of: new) ? nil : ListComparison(list, new).change
  }
}

extension Array {
  /// Whether both are the same array in memory, so that nobody needs to compare their elements.
  @inlinable
  func hasStorage(of other: [Element]) -> Bool {
    unsafe withUnsafeBufferPointer { mine in
      unsafe other.withUnsafeBufferPointer { unsafe mine.baseAddress == $0.baseAddress && mine.count == $0.count }
    }
  }
}

/// The comparison of two lists.
///
/// Both are walked in step. Where the identifiers differ, elements are skipped up to the nearest place where they meet
/// again. Only what was skipped is matched by a dictionary. All that depends on these choices is how many are hashed.
@frozen
@usableFromInline
struct ListComparison<Element: Identifiable & Equatable & Sendable> where Element.ID: Sendable {
  @usableFromInline typealias Change = ListChange<Element.ID, Element>

  @usableFromInline let old: [Element]
  @usableFromInline let new: [Element]
  /// The indices of what was skipped.
  @usableFromInline var skipped: (old: [Int], new: [Int]) = ([], [])
  @usableFromInline var inserted: [Change.Row] = []
  @usableFromInline var updated: [Change.Row] = []
  @usableFromInline var removed: [Change.Removal] = []
  @usableFromInline var moved: [Change.Move] = []

  @inlinable
  init(_ old: [Element], _ new: [Element]) {
    (self.old, self.new) = (old, new)
    var (next, end) = ((old: 0, new: 0), 0)
    while next.old < old.count, next.new < new.count {
      if old[next.old].id == new[next.new].id {
        compare(next.old, next.new)
        next = (next.old + 1, next.new + 1)
      } else if let meeting = nextMeeting(next.old, next.new) {
        skip(next.old..<meeting.old, next.new..<meeting.new)
        next = meeting
      } else {
        let rest = min(old.count - next.old, new.count - next.new)
        while end < rest, old[old.count - 1 - end].id == new[new.count - 1 - end].id { end += 1 }
        break
      }
    }
    skip(next.old..<old.count - end, next.new..<new.count - end)
    for index in new.count - end..<new.count { compare(index - new.count + old.count, index) }
    matchSkipped()
  }

  /// The difference; nil if the lists are equal.
  @inlinable var change: Change? {
    inserted.isEmpty && updated.isEmpty && removed.isEmpty && moved.isEmpty
      ? nil : .changed(inserted: inserted, updated: updated, removed: removed, moved: moved)
  }

  /// Compares two elements with the same identifier.
  @inlinable @inline(__always)
  mutating func compare(_ oldIndex: Int, _ newIndex: Int) {
    if old[oldIndex] != new[newIndex] { updated.append(Change.Row(element: new[newIndex], index: newIndex)) }
  }

  @inlinable
  mutating func skip(_ oldIndices: Range<Int>, _ newIndices: Range<Int>) {
    skipped.old += oldIndices
    skipped.new += newIndices
  }

  /// The nearest place where the lists meet if elements of one are skipped, or as many of both; nil if there is none.
  ///
  /// Makes three comparisons for each skipped element, and once as many for all that are left. So all walks take
  /// O(*n*).
  @inlinable
  func nextMeeting(_ oldIndex: Int, _ newIndex: Int) -> (old: Int, new: Int)? {
    for distance in 1..<Swift.max(old.count - oldIndex, new.count - newIndex, 2) {
      let (later, laterNew) = (oldIndex + distance, newIndex + distance)
      if later < old.count, old[later].id == new[newIndex].id { return (later, newIndex) }
      if laterNew < new.count, old[oldIndex].id == new[laterNew].id { return (oldIndex, laterNew) }
      if later < old.count, laterNew < new.count, old[later].id == new[laterNew].id { return (later, laterNew) }
    }
    return nil
  }

  /// Matches what was skipped by its identifiers: what has no match was removed or inserted.
  @inlinable
  mutating func matchSkipped() {
    var positions: [Element.ID: Int] = [:]
    if !skipped.new.isEmpty {
      positions.reserveCapacity(skipped.old.count)
      // Of several with one identifier, the first is matched.
      for position in skipped.old.indices.reversed() { positions[old[skipped.old[position]].id] = position }
    }
    var isMatched = [Bool](repeating: false, count: skipped.old.count)
    var matches: [Int: Int] = [:]
    for index in skipped.new {
      if let position = positions[new[index].id], !isMatched[position] {
        isMatched[position] = true
        matches[index] = skipped.old[position]
        compare(skipped.old[position], index)
      } else {
        inserted.append(Change.Row(element: new[index], index: index))
      }
    }
    for (index, isMatched) in zip(skipped.old, isMatched) where !isMatched {
      removed.append(Change.Removal(id: old[index].id, index: index))
    }
    if !matches.isEmpty {
      updated.sort { $0.index < $1.index }
      findMoves(matches)
    }
  }

  /// Finds the fewest elements that have to be moved, given the indices of those that were skipped and belong together.
  @inlinable
  mutating func findMoves(_ matches: [Int: Int]) {
    var isSkipped = (
      old: [Bool](repeating: false, count: old.count), new: [Bool](repeating: false, count: new.count)
    )
    for index in skipped.old { isSkipped.old[index] = true }
    for index in skipped.new { isSkipped.new[index] = true }
    // What wasn't skipped has the same order in both lists.
    var others = old.indices.lazy.filter { !isSkipped.old[$0] }.makeIterator()
    var stays: (from: [Int], to: [Int]) = ([], [])
    for index in new.indices {
      guard let from = isSkipped.new[index] ? matches[index] : others.next() else { continue }
      stays.from.append(from)
      stays.to.append(index)
    }
    for position in positionsOutOfOrder(stays.from) {
      let (from, to) = (stays.from[position], stays.to[position])
      moved.append(Change.Move(id: new[to].id, from: from, to: to))
    }
  }
}

/// Returns the positions of the numbers that don't belong to a longest increasing subsequence, in order.
@usableFromInline
func positionsOutOfOrder(_ numbers: [Int]) -> [Int] {
  // For each length, the position of the smallest number that ends an increasing subsequence.
  var ends: [Int] = []
  var predecessors: [Int?] = []
  predecessors.reserveCapacity(numbers.count)
  for (position, number) in numbers.enumerated() {
    let continues = ends.last.map { numbers[$0] < number } ?? true
    let length = continues ? ends.count : ends.lowerBound { numbers[$0] < number }
    predecessors.append(length > 0 ? ends[length - 1] : nil)
    if length == ends.count { ends.append(position) } else { ends[length] = position }
  }
  guard ends.count < numbers.count else { return [] }
  var isInOrder = [Bool](repeating: false, count: numbers.count)
  var next = ends.last
  while let position = next {
    isInOrder[position] = true
    next = predecessors[position]
  }
  return numbers.indices.filter { !isInOrder[$0] }
}
