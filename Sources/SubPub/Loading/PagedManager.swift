/// Loads a list page by page, and drives a publisher with all pages that it has.
///
/// Pages are appended in order, one at a time (rule 5.08). What is published as loaded may be incomplete, and is ready
/// to be presented. While a page, or the first one anew, is being loaded, and after an error, the pages so far are the
/// state's previous value.
///
/// ```swift
/// let list = PagedManager<String, Int>(firstPage: 0) { page in
///   (elements: ["item \(page)"], next: page < 9 ? page + 1 : nil)
/// }
/// await list.refresh()
/// await list.loadNextPage()
/// ```
///
/// For loads, callers that share one, what overtakes it, threads and lifetime: see `LoadingManager`.
public final class PagedManager<Element: Sendable, Cursor: Sendable>: Manager {
  /// What is published: the pages so far.
  public typealias Value = Paged<Element, Cursor>
  /// Who tells the subscribers. What you change on it overtakes a load that is under way.
  public let publisher: Publisher<Paged<Element, Cursor>>
  private let driver: LoadDriver<Paged<Element, Cursor>>
  private let firstPage: Cursor
  private let load: @Sendable (Cursor) async throws -> (elements: [Element], next: Cursor?)

  /// A manager that has loaded no page yet.
  ///
  /// - Parameters:
  ///   - label: A name for logs and debuggers.
  ///   - staleAfter: How long a list counts as fresh, from the first page on; nil: for ever.
  ///   - timeout: How long one call of `load` may take; nil: as long as it does.
  ///   - retry: Whether and when a page that failed is tried again.
  ///   - clock: What `staleAfter`, `timeout` and the waits between attempts are measured on.
  ///   - firstPage: Where the list begins.
  ///   - load: Gets the page that begins there, and where the next one does; nil: that was the last one.
  public convenience init(
    label: String? = nil, staleAfter: Duration? = nil, timeout: Duration? = nil, retry: RetryPolicy = .never,
    clock: any Clock<Duration> = ContinuousClock(), firstPage: Cursor,
    load: @escaping @Sendable (Cursor) async throws -> (elements: [Element], next: Cursor?)
  ) {
    self.init(
      label: label, staleAfter: staleAfter, timeout: timeout, retry: retry, clock: clock, executor: nil,
      firstPage: firstPage, load: load)
  }

  /// The same, with everything run by that executor: for tests that draw from a seed who is next.
  package init(
    label: String?, staleAfter: Duration?, timeout: Duration?, retry: RetryPolicy, clock: any Clock<Duration>,
    executor: (any TaskExecutor)?, firstPage: Cursor,
    load: @escaping @Sendable (Cursor) async throws -> (elements: [Element], next: Cursor?)
  ) {
    publisher = Publisher(label: label, staleAfter: staleAfter, clock: clock)
    driver = LoadDriver(publisher, Attempt(timeout: timeout, clock: clock, executor: executor), retry: retry)
    self.firstPage = firstPage
    self.load = load
  }

  deinit { driver.abandon() }

  /// Loads the first page; when it is there, it takes the place of all pages so far.
  ///
  /// Shares a load of the first page that is under way. Overtakes one of a later page, which is dropped (rule 5.08).
  ///
  /// - Parameter force: Overtakes any load that is under way.
  @discardableResult
  public func refresh(force: Bool = false) async -> LoadState<Paged<Element, Cursor>> {
    await driver.load(.whole, joins: !force) { [firstPlan] _ in firstPlan } ?? publisher.state
  }

  /// Loads the page behind those so far, and appends it. After an error it tries the same page again.
  ///
  /// Shares the load that is under way, of whatever page. Loads the first page when there is none. Returns at once when
  /// all pages are loaded.
  @discardableResult
  public func loadNextPage() async -> LoadState<Paged<Element, Cursor>> {
    let loaded = await driver.load(.page, joins: true) { [load, firstPlan] current in
      guard let pages = current.state.value else { return firstPlan }
      guard let cursor = pages.next else { return nil }
      return LoadPlan(kind: .page) {
        let page = try await load(cursor)
        return Paged(elements: pages.elements + page.elements, next: page.next)
      }
    }
    return loaded ?? publisher.state
  }

  /// Loads the first page when nothing was loaded yet, after an error, and when the list is stale; nothing else.
  /// Returns at once.
  public func refreshIfNeeded() { driver.loadIfNeeded(firstPlan) }

  private var firstPlan: LoadPlan<Paged<Element, Cursor>> {
    LoadPlan(kind: .whole) { [load, firstPage] in
      let page = try await load(firstPage)
      return Paged(elements: page.elements, next: page.next)
    }
  }
}

extension PagedManager: CustomStringConvertible {
  /// The publisher's description.
  public var description: String { "PagedManager of \(publisher)" }
}
