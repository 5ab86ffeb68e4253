/// Which pages a refresh of a ``PagedManager`` loads.
public enum PageRefresh: Hashable, Sendable {
  /// The first one, which then is the list.
  case firstPage
  /// As many as there are, one after the other; the list changes once, when all are there (5.08).
  case loadedPages
}

/// A manager that loads a list page by page, and publishes all pages so far.
///
/// Pages are appended in order, one at a time (5.08). A `loaded` list may be incomplete, but can be shown. While a page
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
/// Loads are shared, superseded, and cancelled as those of a ``LoadingManager`` are, and the list is edited in the same
/// way.
public final class PagedManager<Element: Sendable, Cursor: Sendable>: Manager {
  /// The pages so far.
  public typealias Value = Paged<Element, Cursor>
  /// The publisher of the pages.
  ///
  /// If you change its state yourself, you supersede an active load (5.04) and drop pending edits (5.20). The cache
  /// doesn't change.
  public let publisher: Publisher<Paged<Element, Cursor>>
  let driver: LoadDriver<Paged<Element, Cursor>>

  /// Creates a manager.
  ///
  /// The parameters are those of ``init(_:firstPage:maxPages:refreshes:load:)``, with the properties of
  /// ``LoadingOptions`` one by one.
  ///
  /// - Precondition: `staleAfter` and `errorStaleAfter` aren't negative, `staleJitter` is between 0 and 1, `timeout` is
  ///   greater than zero, and `maxPages` is at least 1.
  public convenience init(
    label: String? = nil, staleAfter: Duration? = nil, staleJitter: Double = 0, errorStaleAfter: Duration = .zero,
    timeout: Duration? = nil,
    retry: RetryPolicy = .never, clock: any Clock<Duration> = ContinuousClock(), firstPage: Cursor,
    maxPages: Int? = nil,
    cache: (any StateCache<Paged<Element, Cursor>>)? = nil, cachePolicy: CachePolicy = .loadIfStale,
    cacheFailed: @escaping @Sendable (CacheFailure) -> Void = { _ in },
    attemptFailed: @escaping @Sendable (_ attempt: Int, _ error: any Error) -> Void = { _, _ in },
    history: Int = 0, propagating: [PropagatedContext] = [], instrumentation: (any Instrumentation)? = nil,
    sends: SendOrder = .concurrent, refreshes: PageRefresh = .firstPage,
    load: @escaping @Sendable (Cursor) async throws -> (elements: [Element], next: Cursor?)
  ) {
    self.init(
      LoadingOptions(
        label: label, staleAfter: staleAfter, staleJitter: staleJitter, errorStaleAfter: errorStaleAfter,
        timeout: timeout, retry: retry,
        clock: clock, cache: cache, cachePolicy: cachePolicy, cacheFailed: cacheFailed, attemptFailed: attemptFailed,
        history: history, propagating: propagating, instrumentation: instrumentation, sends: sends),
      firstPage: firstPage, maxPages: maxPages, refreshes: refreshes, load: load)
  }

  /// Creates a manager from options.
  ///
  /// - Parameters:
  ///   - options: The settings of the loads.
  ///   - firstPage: The cursor of the first page.
  ///   - maxPages: The most pages that the list keeps; nil for all. When one more is loaded, the oldest is dropped: as
  ///     many elements from the front as it has brought, or fewer if edits have removed some. A refresh begins with the
  ///     first page, even if that was dropped.
  ///   - refreshes: Whether a refresh loads the first page, or as many pages as were loaded, with a call of `load` for
  ///     each: `timeout` is for all of them, and after a failure all are loaded again.
  ///   - load: Loads the page at a cursor, and returns the cursor of the next page, or nil if there is none. If a
  ///     cursor is itself an optional, because the first page has none, a nil that the server sends ends the list, too.
  ///     Runs as the loader of a ``LoadingManager`` does, and mustn't await the same manager either.
  /// - Precondition: `staleAfter` and `errorStaleAfter` aren't negative, `staleJitter` is between 0 and 1, `timeout` is
  ///   greater than zero, and `maxPages` is at least 1.
  public init(
    _ options: LoadingOptions<Paged<Element, Cursor>>, firstPage: Cursor, maxPages: Int? = nil,
    refreshes: PageRefresh = .firstPage,
    load: @escaping @Sendable (Cursor) async throws -> (elements: [Element], next: Cursor?)
  ) {
    if let maxPages, maxPages < 1 {
      stopForMisuse("maxPages is \(maxPages), so the list would keep no page: give 1 or more, or nil for no limit")
    }
    publisher = options.makePublisher()
    let page: @Sendable (Cursor) async throws -> Value = { cursor in
      let (elements, next) = try await load(cursor)
      return Paged(elements: elements, next: next)
    }
    driver = LoadDriver(publisher, options) { kind, previous in
      let former = kind == .page || refreshes == .loadedPages ? previous() : nil
      if kind == .page, var list = former, let cursor = list.next {
        list.append(try await page(cursor), keeping: maxPages)
        return list
      }
      var list = try await page(firstPage)
      while list.loadedPages < former?.loadedPages ?? 1, let cursor = list.next {
        try Task.checkCancellation()
        list.append(try await page(cursor), keeping: maxPages)
      }
      return list
    }
  }

  deinit { driver.endManager() }
}

/// Asking for pages.
extension PagedManager {
  /// Loads the first page, which then replaces all pages so far.
  ///
  /// Shares an active load of the first page. Supersedes the load of a later page, which is dropped (5.08).
  ///
  /// - Returns: The state `loaded` or `error` that the load ended with, or the current state if the load was superseded
  ///   or the calling task is cancelled.
  @discardableResult
  public func refresh() async -> LoadState<Paged<Element, Cursor>> { await refresh(restarting: false) }

  /// Loads the first page as ``refresh()`` does, and may supersede any active load.
  ///
  /// - Parameter restarting: Whether to supersede any active load instead of sharing it.
  /// - Returns: The state `loaded` or `error` that the load ended with, or the current state if the load was superseded
  ///   or the calling task is cancelled.
  @discardableResult
  public func refresh(restarting: Bool) async -> LoadState<Paged<Element, Cursor>> {
    await driver.load(joins: !restarting) ?? publisher.state
  }

  /// Loads the next page and appends it; after an error, tries the same page again.
  ///
  /// Shares the active load of a later page. If there is no page yet, loads the first one, or shares that load; a
  /// cached list that is fresh makes this load unnecessary (5.11). During a refresh of existing pages, waits for it to
  /// end, and then loads the page after the new first page (5.14). If all pages are loaded and none is being refreshed,
  /// returns at once.
  ///
  /// - Returns: The state `loaded` or `error` that the load ended with, or the current state if the load was superseded
  ///   or the calling task is cancelled.
  /// - Complexity: O(*n*) in the number of elements that are kept, which are copied into a new list and written to the
  ///   cache.
  @discardableResult
  public func loadNextPage() async -> LoadState<Paged<Element, Cursor>> {
    await driver.loadPage { list, refreshed in
      // Another call that has waited for the same refresh may have loaded the page in the meantime.
      list.isComplete || refreshed.map { list.loadedPages > $0.loadedPages } ?? false
    } ?? publisher.state
  }

  /// Loads the first page if nothing has been loaded yet, if the list is stale, or after an error.
  ///
  /// If a later page has failed and the list isn't stale, loads that page again instead, and no page is lost (5.14). An
  /// error younger than `errorStaleAfter` is left alone (5.13). Otherwise does nothing. Returns without waiting.
  public func refreshIfNeeded() { driver.loadIfNeeded() }

  /// Returns the list so far if it is fresh, and otherwise loads its first page.
  ///
  /// See ``LoadingManager/value(maxAge:)``.
  ///
  /// - Parameter maxAge: A list this old or older is loaded again; nil for `staleAfter`.
  /// - Returns: The pages so far.
  /// - Throws: As ``LoadingManager/value(maxAge:)``.
  /// - Precondition: `maxAge` isn't negative.
  public func value(maxAge: Duration? = nil) async throws -> Paged<Element, Cursor> {
    try await driver.value(maxAge: maxAge)
  }

  /// Refreshes again and again, until the task is cancelled, the condition fails, or the manager is logged out or
  /// released (5.17).
  ///
  /// See ``LoadingManager/refresh(every:pausingWithoutListeners:endingAtLogout:while:)``.
  ///
  /// - Parameters:
  ///   - interval: The pause between the end of a load and the start of the next.
  ///   - pausingWithoutListeners: Whether to wait while nobody listens to ``publisher``.
  ///   - endingAtLogout: Whether ``logout()`` ends the poll.
  ///   - condition: Whether to load, given the current state. Called before each load.
  /// - Precondition: `interval` is greater than zero.
  public consuming func refresh(
    every interval: Duration, pausingWithoutListeners: Bool = false, endingAtLogout: Bool = true,
    while condition: @escaping @Sendable (LoadState<Paged<Element, Cursor>>) -> Bool = { _ in true }
  ) async {
    let driver = driver
    _ = consume self
    await driver.poll(
      every: interval, pausingWithoutListeners: pausingWithoutListeners, endingAtLogout: endingAtLogout,
      while: condition)
  }

  /// Makes the list stale, and publishes nothing (5.15).
  public func invalidate() { driver.invalidate() }

  /// Cancels the active load, and publishes the state from before it (5.05).
  public func cancel() { driver.cancel() }

  /// Forgets all pages, cancels the active load, and clears the cache (5.10).
  public func logout() { driver.logout() }

  /// Waits until the cache has done everything that was requested so far.
  ///
  /// Returns early if the task is cancelled.
  public func waitForCache() async { await driver.waitForCache() }
}

extension PagedManager: CustomStringConvertible {
  /// The description of the publisher.
  public var description: String { "PagedManager of \(publisher)" }
}
