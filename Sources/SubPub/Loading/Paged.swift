/// The pages of a list that have been loaded, in order, and where the next one begins.
public struct Paged<Element: Sendable, Cursor: Sendable>: Sendable {
  /// Of all pages, in order.
  public let elements: [Element]
  /// Asks for the next page; nil: there is none.
  public let next: Cursor?
  /// Whether all pages are loaded.
  public var isComplete: Bool { next == nil }

  /// What is loaded, and where it goes on.
  public init(elements: [Element], next: Cursor?) {
    self.elements = elements
    self.next = next
  }
}

extension Paged: Equatable where Element: Equatable, Cursor: Equatable {}
extension Paged: Hashable where Element: Hashable, Cursor: Hashable {}
extension Paged: Encodable where Element: Encodable, Cursor: Encodable {}
extension Paged: Decodable where Element: Decodable, Cursor: Decodable {}
