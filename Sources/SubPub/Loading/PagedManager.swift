/// A manager that loads a list page by page, and publishes all pages so far.
///
/// Pages are appended in order, one at a time (5.08). A `loaded` list may be incomplete, and can be shown. While a page
/// is being loaded, and after an error, the pages so far are the state's previous value.
///
/// ```swift
/// let list = PagedManager<String, Int>(firstPage: 0) { page in
///   (elements: ["item \(page)"], next: page < 9 ? page + 1 : nil)
/// }
/// await list.refresh()
/// await list.loadNextPage()
/// ```
///
/// Loads are shared, superseded, and cancelled as those of a ``LoadingManager`` are.
public final class PagedManager<Element: Sendable, Cursor: Sendable>: Manager {
  /// The pages so far.
  public typealias Value = Paged<Element, Cursor>
  /// The publisher of the pages.
  ///
  /// If you change its state yourself, you supersede an active load (5.04).
  public let publisher: Publisher<Paged<Element, Cursor>>
  private let driver: LoadDriver<Paged<Element, Cursor>>
  private let firstPage: Cursor
  private let load: @Sendable (Cursor) async throws -> (elements: [Element], next: Cursor?)

  /// Creates a manager that has loaded no page yet.
  ///
  /// - Parameters:
  ///   - label: A name for logs and debuggers.
  ///   - staleAfter: How long a list counts as fresh, from the arrival of its first page; nil if it never becomes
  ///     stale.
  ///   - timeout: How long one call of `load` may take; nil for no limit.
  ///   - retry: Whether and when a failed page is tried again.
  ///   - clock: Measures `staleAfter`, `timeout`, and the delays between attempts.
  ///   - firstPage: The cursor of the first page.
  ///   - load: Loads the page at a cursor, and returns the cursor of the next page, or nil if there is none.
  /// - Precondition: `staleAfter` isn't negative, and `timeout` is greater than zero.
  public convenience init(
    label: String? = nil, staleAfter: Duration? = nil, timeout: Duration? = nil, retry: RetryPolicy = .never,
    clock: any Clock<Duration> = ContinuousClock(), firstPage: Cursor,
    load: @escaping @Sendable (Cursor) async throws -> (elements: [Element], next: Cursor?)
  ) {
    self.init(
      label: label, staleAfter: staleAfter, timeout: timeout, retry: retry, clock: clock, executor: nil,
      firstPage: firstPage, load: load)
  }

  /// Creates a manager whose work runs on one executor, for tests in which a seed decides which job is next.
  package init(
    label: String?, staleAfter: Duration?, timeout: Duration?, retry: RetryPolicy, clock: any Clock<Duration>,
    executor: (any TaskExecutor)?, firstPage: Cursor,
    load: @escaping @Sendable (Cursor) async throws -> (elements: [Element], next: Cursor?)
  ) {
    publisher = Publisher(label: label, staleAfter: staleAfter, clock: clock)
    driver = LoadDriver(
      publisher, TimeLimitedOperation(timeout: timeout, clock: clock, executor: executor), retry: retry)
    self.firstPage = firstPage
    self.load = load
  }

  deinit { driver.rollBack() }

  /// Loads the first page, which then replaces all pages so far.
  ///
  /// Shares an active load of the first page. Supersedes the load of a later page, which is dropped (5.08).
  ///
  /// - Parameter restarting: Whether to supersede any active load instead of sharing it.
  /// - Returns: The state `loaded` or `error` that the load ended with, or the current state if the load was superseded
  ///   or the calling task is cancelled.
  @discardableResult
  public func refresh(restarting: Bool = false) async -> LoadState<Paged<Element, Cursor>> {
    await driver.load(.whole, joins: !restarting) { [planOfFirstPage] _ in planOfFirstPage } ?? publisher.state
  }

  /// Loads the next page and appends it; after an error, tries the same page again.
  ///
  /// Shares the active load of any page. Loads the first page if there is none. Returns at once if all pages are
  /// loaded.
  ///
  /// - Returns: The state `loaded` or `error` that the load ended with, or the current state if the load was superseded
  ///   or the calling task is cancelled.
  @discardableResult
  public func loadNextPage() async -> LoadState<Paged<Element, Cursor>> {
    let result = await driver.load(.page, joins: true) { [load, planOfFirstPage] current in
      guard let pages = current.state.value else { return planOfFirstPage }
      guard let cursor = pages.next else { return nil }
      return LoadDriver.Plan(kind: .page) {
        let page = try await load(cursor)
        return Paged(elements: pages.elements + page.elements, next: page.next)
      }
    }
    return result ?? publisher.state
  }

  /// Loads the first page if nothing was loaded yet, after an error, or if the list is stale.
  ///
  /// Otherwise does nothing. Returns without waiting.
  public func refreshIfNeeded() { driver.loadIfNeeded(planOfFirstPage) }

  private var planOfFirstPage: LoadDriver<Paged<Element, Cursor>>.Plan {
    LoadDriver.Plan(kind: .whole) { [load, firstPage] in
      let page = try await load(firstPage)
      return Paged(elements: page.elements, next: page.next)
    }
  }
}

extension PagedManager: CustomStringConvertible {
  /// The description of the publisher.
  public var description: String { "PagedManager of \(publisher)" }
}

/// The loaded pages of a list, in order, and the cursor of the next page.
public struct Paged<Element: Sendable, Cursor: Sendable>: Sendable {
  /// The elements of all pages, in order.
  public let elements: [Element]
  /// The cursor of the next page; nil if there is none.
  public let next: Cursor?
  /// Whether all pages are loaded.
  public var isComplete: Bool { next == nil }

  /// Creates a list from its elements so far.
  ///
  /// - Parameters:
  ///   - elements: The elements of all pages, in order.
  ///   - next: The cursor of the next page; nil if there is none.
  public init(elements: [Element], next: Cursor?) {
    self.elements = elements
    self.next = next
  }
}

extension Paged: Equatable where Element: Equatable, Cursor: Equatable {}
extension Paged: Hashable where Element: Hashable, Cursor: Hashable {}
extension Paged: Encodable where Element: Encodable, Cursor: Encodable {}
extension Paged: Decodable where Element: Decodable, Cursor: Decodable {}
