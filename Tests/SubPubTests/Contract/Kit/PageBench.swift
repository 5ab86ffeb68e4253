import SubPub
import SubPubTesting

/// A paged manager, step by step.
///
/// The elements of the page at a cursor are the cursor and the number after it; the next page is ten further on.
final class PageBench: SteppedBench, Sendable {
  typealias State = LoadState<Paged<Int, Int>>

  let executor = ManualExecutor()
  let clock = ManualClock()
  let source: Source<(elements: [Int], next: Int?)>
  let manager: PagedManager<Int, Int>
  private let asked: Locked<[Int]>

  init(
    staleAfter: Duration? = nil, retry: RetryPolicy = .never, isStubborn: Bool = false, maxPages: Int? = nil,
    refreshes: PageRefresh = .firstPage,
    options set: (inout LoadingOptions<Paged<Int, Int>>) -> Void = { _ in }
  ) {
    let source = Source<(elements: [Int], next: Int?)>(isStubborn: isStubborn)
    let asked = Locked<[Int]>([])
    (self.source, self.asked) = (source, asked)
    let options = LoadingOptions(on: executor, staleAfter: staleAfter, retry: retry, clock: clock, set)
    manager = PagedManager(options, firstPage: 0, maxPages: maxPages, refreshes: refreshes) { cursor in
      asked.withLock { $0.append(cursor) }
      return try await source.load()
    }
  }

  deinit { finish() }

  var publisher: Publisher<Paged<Int, Int>> { manager.publisher }
  var outcome: State { publisher.state }
  /// The cursors of the pages that were asked for, in order.
  var cursors: [Int] { asked.withLock { $0 } }

  @discardableResult func refresh(restarting: Bool = false) -> Caller<State> {
    call { [manager] in await manager.refresh(restarting: restarting) }
  }

  @discardableResult func loadNextPage() -> Caller<State> { call { [manager] in await manager.loadNextPage() } }

  @discardableResult func refreshIfNeeded() -> State {
    manager.refreshIfNeeded()
    return run()
  }

  /// Answers a call, and runs what follows.
  @discardableResult func answer(_ call: Int, isLast: Bool = false) -> State {
    let cursor = cursors[call]
    source.answer(call, .success((elements: [cursor, cursor + 1], next: isLast ? nil : cursor + 10)))
    return run()
  }

  /// Loads the next pages, while nothing else is loaded.
  func load(pages: Int) {
    for _ in 0..<pages {
      loadNextPage()
      answer(source.calls - 1)
    }
  }

  /// The value that the first pages make together, or those from one on.
  static func pages(_ count: Int, from first: Int = 0, isLast: Bool = false) -> Paged<Int, Int> {
    Paged(elements: (first..<count).flatMap { [$0 * 10, $0 * 10 + 1] }, next: isLast ? nil : count * 10)
  }
}
