/// The loaded pages of a list, in order, and the cursor of the next page.
///
/// Two lists are equal if their elements and cursors are, however the elements are divided into pages.
public struct Paged<Element: Sendable, Cursor: Sendable>: Sendable {
  /// The elements of all pages, in order; without those of pages that `maxPages` of a ``PagedManager`` has dropped.
  public private(set) var elements: [Element]
  /// The cursor of the next page; nil if there is none.
  public private(set) var next: Cursor?
  /// Whether all pages are loaded.
  public var isComplete: Bool { next == nil }
  /// How the elements came in pages; nil if they are one page.
  private var pages: Pages?

  /// Creates a list from its elements so far, which count as one page.
  ///
  /// - Parameters:
  ///   - elements: The elements of all pages, in order.
  ///   - next: The cursor of the next page; nil if there is none.
  public init(elements: [Element], next: Cursor?) { self.init(elements, next, nil) }

  private init(_ elements: [Element], _ next: Cursor?, _ pages: Pages?) {
    (self.elements, self.next, self.pages) = (elements, Self.isNil(next) ? nil : next, pages)
  }

  fileprivate struct Pages {
    /// The sizes with which the pages came that are still in the list.
    var sizes: [Int]
    /// The number of pages that were loaded, including dropped ones.
    var loaded: Int
  }
}

/// A type of cursors that have a nil of their own, as for a server that sends the token of the next page.
private protocol OptionalCursor {
  static func isNil<Cursor>(_ cursor: Cursor) -> Bool
}

extension Optional: OptionalCursor {
  fileprivate static func isNil<Cursor>(_ cursor: Cursor) -> Bool {
    if let cursor = cursor as? Self, case .none = cursor { true } else { false }
  }
}

extension Paged {
  /// Whether there is no next page; otherwise a nil of the server would be the cursor of the first one again.
  private static func isNil(_ next: Cursor?) -> Bool {
    guard let next else { return true }
    return (Cursor.self as? any OptionalCursor.Type)?.isNil(next) ?? false
  }
}

/// The pages of a manager.
extension Paged {
  private var knownPages: Pages { pages ?? Pages(sizes: [elements.count], loaded: 1) }

  /// The number of pages that were loaded, including dropped ones.
  var loadedPages: Int { knownPages.loaded }

  /// Appends a page, and drops the oldest pages if there are more than `maximum` then.
  ///
  /// After edits, nobody knows the borders between pages. As many elements are dropped as the oldest pages have
  /// brought, unless fewer are left then than the others have brought.
  mutating func append(_ page: Paged, keeping maximum: Int?) {
    var pages = knownPages
    // Taken out, so that the sizes aren't copied.
    self.pages = nil
    pages.sizes.append(page.elements.count)
    pages.loaded += 1
    elements += page.elements
    next = page.next
    if let maximum, pages.sizes.count > maximum {
      let surplus = pages.sizes.count - maximum
      let oldest = pages.sizes.prefix(surplus).reduce(0, +)
      pages.sizes.removeFirst(surplus)
      elements.removeFirst(min(oldest, max(0, elements.count - pages.sizes.reduce(0, +))))
    }
    self.pages = pages
  }

  /// Returns the list with other elements in the same pages.
  func with(_ elements: [Element]) -> Paged { Paged(elements, next, knownPages) }
}

extension Paged: CustomStringConvertible {
  /// The elements, and the cursor of the next page, for logs.
  public var description: String { "\(elements), \(next.map { "next: \($0)" } ?? "complete")" }
}

extension Paged: Equatable where Element: Equatable, Cursor: Equatable {
  /// Returns whether the elements and the cursors of two lists are equal.
  public static func == (left: Paged, right: Paged) -> Bool {
    left.elements == right.elements && left.next == right.next
  }
}

extension Paged: Hashable where Element: Hashable, Cursor: Hashable {
  /// Hashes the elements and the cursor.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(elements)
    hasher.combine(next)
  }
}

extension Paged.Pages: Codable {
  private enum CodingKeys: String, CodingKey { case sizes, loaded }

  /// Reads pages, which somebody else may have written (5.29).
  ///
  /// After edits, the sizes needn't add up to the number of elements.
  fileprivate init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    sizes = try container.decode([Int].self, forKey: .sizes)
    loaded = try container.decodeCount(forKey: .loaded)
    // So that no sum of sizes can overflow.
    let largest = Int.counts.upperBound / max(sizes.count, 1)
    guard !sizes.isEmpty, sizes.allSatisfy({ (0...largest).contains($0) }), loaded >= sizes.count else {
      throw DecodingError.damaged("the sizes of the list's pages are damaged", at: decoder.codingPath)
    }
  }
}

extension Paged: Encodable where Element: Encodable, Cursor: Encodable {}
extension Paged: Decodable where Element: Decodable, Cursor: Decodable {}
