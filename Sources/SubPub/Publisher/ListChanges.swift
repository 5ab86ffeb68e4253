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
  /// Elements belong together if they have the same identifier. Of those that stay, the fewest possible are moved. If an
  /// identifier occurs several times in a list, the change is still right by its indices, but by identifier it is
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
  /// - Complexity: O(*n*) comparisons for each state; O(1) if the list is the same array as before. Only the elements
  ///   between the first and the last one that was inserted, removed, or moved are hashed. If some were moved,
  ///   O(*n* log *n*) comparisons of integers come on top.
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
/// At both ends, elements are compared in place as long as their identifiers are the same. Those in between are matched by
/// a dictionary of identifiers. Elements that stay are moved unless they belong to a longest run in which the order is
/// the same in both lists, so as few as possible are.
@frozen
@usableFromInline
struct ListComparison<Element: Identifiable & Equatable & Sendable> where Element.ID: Sendable {
  @usableFromInline typealias Change = ListChange<Element.ID, Element>

  @usableFromInline let old: [Element]
  @usableFromInline let new: [Element]
  @usableFromInline var inserted: [Change.Row] = []
  @usableFromInline var updated: [Change.Row] = []
  @usableFromInline var removed: [Change.Removal] = []
  @usableFromInline var moved: [Change.Move] = []

  @inlinable
  init(_ old: [Element], _ new: [Element]) {
    (self.old, self.new) = (old, new)
    let shorter = Swift.min(old.count, new.count)
    var start = 0
    while start < shorter, old[start].id == new[start].id {
      compare(start, start)
      start += 1
    }
    var end = 0
    while end < shorter - start, old[old.count - 1 - end].id == new[new.count - 1 - end].id { end += 1 }
    match(start..<old.count - end, start..<new.count - end)
    for index in new.count - end..<new.count { compare(index - new.count + old.count, index) }
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

  /// Matches elements by their identifiers.
  @inlinable
  mutating func match(_ oldIndices: Range<Int>, _ newIndices: Range<Int>) {
    var indices: [Element.ID: Int] = [:]
    if !newIndices.isEmpty {
      indices.reserveCapacity(oldIndices.count)
      // Of several with one identifier, the first is matched.
      for index in oldIndices.reversed() { indices[old[index].id] = index }
    }
    var isMatched = [Bool](repeating: false, count: oldIndices.count)
    var matches: (old: [Int], new: [Int]) = ([], [])
    for index in newIndices {
      if let match = indices[new[index].id], !isMatched[match - oldIndices.lowerBound] {
        isMatched[match - oldIndices.lowerBound] = true
        matches.old.append(match)
        matches.new.append(index)
        compare(match, index)
      } else {
        inserted.append(Change.Row(element: new[index], index: index))
      }
    }
    for index in oldIndices where !isMatched[index - oldIndices.lowerBound] {
      removed.append(Change.Removal(id: old[index].id, index: index))
    }
    for position in positionsOutOfOrder(matches.old) {
      let (from, to) = (matches.old[position], matches.new[position])
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
    var (length, limit) = (0, ends.count)
    if let last = ends.last, numbers[last] < number { length = limit }
    while length < limit {
      let middle = (length + limit) / 2
      if numbers[ends[middle]] < number { length = middle + 1 } else { limit = middle }
    }
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
