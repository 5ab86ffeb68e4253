/// The difference between two lists, as ``StatePublisher/changes(buffering:label:)`` gives it (6.06).
///
/// If you keep the list, as a copy or as the rows of a table, there are two ways to follow a change:
///
/// - By index, as tables and collection views do. Indices of ``Removal`` and the `from` of a ``Move`` count in the list
///   before the change. All others count in the list after it.
/// - By identifier, as a web page does: take out what was removed or moved, put in what was inserted or moved, from the
///   lowest index to the highest, and replace what was updated. This needs identifiers that occur once in a list.
///
/// As JSON, a change has the keys `reset`, `inserted`, `updated`, `removed`, and `moved`, without those that are empty.
@frozen
public enum ListChange<ID: Hashable & Sendable, Element: Sendable>: Sendable {
  /// The whole list, which takes the place of any other.
  case reset([Element])
  /// What differs from the list before. Each part is in the order of the new list, and `removed` in that of the old
  /// one.
  ///
  /// An element that has kept its identifier is in `updated` if it is no longer equal, and in `moved` if it has another
  /// place among those that have stayed; it may be in both. Elements whose index has changed only because others came
  /// or went aren't mentioned.
  case changed(inserted: [Row], updated: [Row], removed: [Removal], moved: [Move])

  /// An element and its index in the list after the change.
  @frozen
  public struct Row: Sendable {
    /// The element.
    public let element: Element
    /// Its index in the list after the change.
    public let index: Int

    /// Creates a row.
    ///
    /// - Parameters:
    ///   - element: The element.
    ///   - index: Its index in the list after the change.
    @inlinable
    public init(element: Element, index: Int) { (self.element, self.index) = (element, index) }
  }

  /// An element that is no longer in the list.
  @frozen
  public struct Removal: Hashable, Sendable {
    /// The identifier of the element.
    public let id: ID
    /// Its index in the list before the change.
    public let index: Int

    /// Creates a removal.
    ///
    /// - Parameters:
    ///   - id: The identifier of the element.
    ///   - index: Its index in the list before the change.
    @inlinable
    public init(id: ID, index: Int) { (self.id, self.index) = (id, index) }
  }

  /// An element that has another place among those that have stayed.
  @frozen
  public struct Move: Hashable, Sendable {
    /// The identifier of the element.
    public let id: ID
    /// Its index in the list before the change.
    public let from: Int
    /// Its index in the list after the change.
    public let to: Int

    /// Creates a move.
    ///
    /// - Parameters:
    ///   - id: The identifier of the element.
    ///   - from: Its index in the list before the change.
    ///   - to: Its index in the list after the change.
    @inlinable
    public init(id: ID, from: Int, to: Int) { (self.id, self.from, self.to) = (id, from, to) }
  }
}

extension ListChange {
  /// Returns a list with the change applied.
  ///
  /// - Parameter list: The list before the change, which is the result of the change before. A reset ignores it.
  /// - Returns: The list after the change.
  /// - Complexity: O(*n*) in the length of the lists. Nothing is hashed or compared.
  /// - Precondition: The change was made for a list of this length; otherwise, the program stops. If changes come from
  ///   somewhere else and one of them could be lost, number them, and begin again with a reset after a gap. Don't apply
  ///   changes of a sender that you don't trust: a decoded one is consistent (5.29), but may be meant for another list.
  @inlinable
  public func applied(to list: [Element]) -> [Element] {
    guard case .changed(let inserted, let updated, let removed, let moved) = self else {
      if case .reset(let elements) = self { return elements }
      return list
    }
    var result = list
    if !inserted.isEmpty || !removed.isEmpty || !moved.isEmpty {
      var leaves = [Bool](repeating: false, count: list.count)
      for index in removed.map(\.index) + moved.map(\.from) {
        guard leaves.indices.contains(index), !leaves[index] else { Self.stop(index, list.count) }
        leaves[index] = true
      }
      let count = list.count - removed.count + inserted.count
      var arrivals = [Element?](repeating: nil, count: count)
      for row in inserted + moved.map({ Row(element: list[$0.from], index: $0.to) }) {
        guard arrivals.indices.contains(row.index), arrivals[row.index] == nil else { Self.stop(row.index, list.count) }
        arrivals[row.index] = row.element
      }
      // As many stay as there are places left.
      var stays = list.indices.lazy.filter { !leaves[$0] }.makeIterator()
      result.removeAll(keepingCapacity: true)
      for arrival in arrivals {
        if let element = arrival ?? stays.next().map({ list[$0] }) { result.append(element) }
      }
    }
    for row in updated {
      guard result.indices.contains(row.index) else { Self.stop(row.index, list.count) }
      result[row.index] = row.element
    }
    return result
  }

  @usableFromInline
  static func stop(_ index: Int, _ count: Int) -> Never {
    stopForMisuse(
      """
      A change with the index \(index) was applied to a list of \(count) elements, for which it wasn't made: apply every \
      change in order, each to the result of the one before
      """)
  }
}

extension ListChange: CustomStringConvertible {
  /// The numbers of elements, for logs: `reset to 3` or `1 inserted, 2 moved`.
  public var description: String {
    switch self {
    case .reset(let elements): "reset to \(elements.count)"
    case .changed(let inserted, let updated, let removed, let moved):
      [
        (inserted.count, "inserted"), (updated.count, "updated"), (removed.count, "removed"), (moved.count, "moved"),
      ].filter { $0.0 > 0 }.map { "\($0) \($1)" }.joined(separator: ", ")
    }
  }
}

extension ListChange.Row: Equatable where Element: Equatable {}
extension ListChange.Row: Hashable where Element: Hashable {}
extension ListChange: Equatable where Element: Equatable {}
extension ListChange: Hashable where Element: Hashable {}

extension ListChange.Row: Encodable where Element: Encodable {}
extension ListChange.Row: Decodable where Element: Decodable {
  /// Reads an element with its index.
  ///
  /// - Throws: What the decoder throws, and an error if the index is negative (5.29).
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    (element, index) = (
      try container.decode(Element.self, forKey: .element), try container.decodeCount(forKey: .index)
    )
  }
}
extension ListChange.Removal: Encodable where ID: Encodable {}
extension ListChange.Removal: Decodable where ID: Decodable {
  /// Reads an identifier with its index.
  ///
  /// - Throws: What the decoder throws, and an error if the index is negative (5.29).
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    (id, index) = (try container.decode(ID.self, forKey: .id), try container.decodeCount(forKey: .index))
  }
}
extension ListChange.Move: Encodable where ID: Encodable {}
extension ListChange.Move: Decodable where ID: Decodable {
  /// Reads an identifier with its indices.
  ///
  /// - Throws: What the decoder throws, and an error if an index is negative (5.29).
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    id = try container.decode(ID.self, forKey: .id)
    (from, to) = (try container.decodeCount(forKey: .from), try container.decodeCount(forKey: .to))
  }
}

private enum ListChangeKey: String, CodingKey { case reset, inserted, updated, removed, moved }

extension ListChange: Encodable where ID: Encodable, Element: Encodable {
  /// Writes the keys of those parts that aren't empty.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: ListChangeKey.self)
    switch self {
    case .reset(let elements): try container.encode(elements, forKey: .reset)
    case .changed(let inserted, let updated, let removed, let moved):
      if !inserted.isEmpty { try container.encode(inserted, forKey: .inserted) }
      if !updated.isEmpty { try container.encode(updated, forKey: .updated) }
      if !removed.isEmpty { try container.encode(removed, forKey: .removed) }
      if !moved.isEmpty { try container.encode(moved, forKey: .moved) }
    }
  }
}

extension ListChange: Decodable where ID: Decodable, Element: Decodable {
  /// Reads what ``encode(to:)`` has written.
  ///
  /// - Throws: What the decoder throws, and an error if the indices of a part aren't in order, or those of two parts
  ///   contradict each other (5.29). Whether they fit a list is known only to whoever has the list: see
  ///   ``applied(to:)``.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: ListChangeKey.self)
    if container.contains(.reset) {
      self = .reset(try container.decode([Element].self, forKey: .reset))
      guard container.allKeys.count == 1 else {
        throw DecodingError.damaged("the change is a reset, and something else", at: decoder.codingPath)
      }
    } else {
      let inserted = try container.decodeIfPresent([Row].self, forKey: .inserted) ?? []
      let updated = try container.decodeIfPresent([Row].self, forKey: .updated) ?? []
      let removed = try container.decodeIfPresent([Removal].self, forKey: .removed) ?? []
      let moved = try container.decodeIfPresent([Move].self, forKey: .moved) ?? []
      // What leaves has places in the list before, and what arrives in the list after it, each a place of its own.
      let (leaving, arriving) = (Set(moved.map(\.from)), Set(moved.map(\.to)))
      let places = [inserted.map(\.index), updated.map(\.index), removed.map(\.index), moved.map(\.to)]
      guard places.allSatisfy(\.isInOrder),
        leaving.count == moved.count, leaving.isDisjoint(with: removed.map(\.index)),
        arriving.isDisjoint(with: inserted.map(\.index)),
        Set(updated.map(\.index)).isDisjoint(with: inserted.map(\.index))
      else { throw DecodingError.damaged("the indices of the change are damaged", at: decoder.codingPath) }
      self = .changed(inserted: inserted, updated: updated, removed: removed, moved: moved)
    }
  }
}

extension [Int] {
  /// Whether these are different indices, from the lowest to the highest.
  fileprivate var isInOrder: Bool { zip(self, dropFirst()).allSatisfy { $0 < $1 } }
}
