/// The loaded pages of a list, in order, and the cursor of the next page.
///
/// Two lists are equal if their elements and cursors are, however the elements are divided into pages.
public struct Paged<Element: Sendable, Cursor: Sendable>: Sendable {
  /// The elements of all pages, in order; without those of pages that `maxPages` of a ``PagedManager`` has dropped.
  public let elements: [Element]
  /// The cursor of the next page; nil if there is none.
  public let next: Cursor?
  /// Whether all pages are loaded.
  public var isComplete: Bool { next == nil }
  /// How the elements came in pages; nil if they are one page.
  private let pages: Pages?

  /// Creates a list from its elements so far, which count as one page.
  ///
  /// - Parameters:
  ///   - elements: The elements of all pages, in order.
  ///   - next: The cursor of the next page; nil if there is none.
  public init(elements: [Element], next: Cursor?) { self.init(elements, next, nil) }

  private init(_ elements: [Element], _ next: Cursor?, _ pages: Pages?) {
    (self.elements, self.next, self.pages) = (elements, next, pages)
  }

  fileprivate struct Pages {
    /// The sizes with which the pages came that are still in the list.
    var sizes: [Int]
    /// The number of pages that were loaded, including dropped ones.
    var loaded: Int
  }
}

/// The pages of a manager.
extension Paged {
  private var knownPages: Pages { pages ?? Pages(sizes: [elements.count], loaded: 1) }

  /// The number of pages that were loaded, including dropped ones.
  var loadedPages: Int { knownPages.loaded }

  /// Returns the list with one more page, without the oldest pages if there are more than `maximum` then.
  ///
  /// After edits, nobody knows the borders between pages. As many elements are dropped as the oldest pages have
  /// brought, unless fewer are left then than the others have brought.
  func appending(_ page: Paged, keeping maximum: Int?) -> Paged {
    var pages = knownPages
    pages.sizes.append(page.elements.count)
    pages.loaded += 1
    let surplus = maximum.map { max(pages.sizes.count - $0, 0) } ?? 0
    let (oldest, all) = (pages.sizes.prefix(surplus).reduce(0, +), elements + page.elements)
    pages.sizes.removeFirst(surplus)
    let dropped = min(oldest, max(0, all.count - pages.sizes.reduce(0, +)))
    return Paged(Array(all.dropFirst(dropped)), page.next, pages)
  }

  /// Returns the list with other elements in the same pages.
  func with(_ elements: [Element]) -> Paged { Paged(elements, next, knownPages) }
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
