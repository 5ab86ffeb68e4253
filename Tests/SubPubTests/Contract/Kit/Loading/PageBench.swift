import SubPub
import SubPubTesting

/// A paged manager, step by step. The page at a cursor has that number and the next as its elements, unless the test
/// answers otherwise; the next page is ten further on.
final class PageBench: SteppedBench, Sendable {
  typealias State = LoadState<Paged<Int, Int>>

  let executor = ManualExecutor()
  let clock = ManualClock()
  let source: Source<(elements: [Int], next: Int?)>
  let manager: PagedManager<Int, Int>
  /// Everything that was published, the first state included.
  let log = Recorder<Paged<Int, Int>>()
  private let asked: Locked<[Int]>

  init(staleAfter: Duration? = nil, retry: RetryPolicy = .never, isStubborn: Bool = false) {
    let source = Source<(elements: [Int], next: Int?)>(isStubborn: isStubborn)
    let asked = Locked<[Int]>([])
    (self.source, self.asked) = (source, asked)
    manager = PagedManager(
      label: nil, staleAfter: staleAfter, timeout: nil, retry: retry, clock: clock, executor: executor, firstPage: 0
    ) { cursor in
      asked.withLock { $0.append(cursor) }
      return try await source.load()
    }
    manager.publisher.subscribe(log, on: .immediate)
  }

  var publisher: Publisher<Paged<Int, Int>> { manager.publisher }
  /// The cursors that pages were asked for with, in order.
  var cursors: [Int] { asked.withLock { $0 } }

  @discardableResult func refresh(restarting: Bool = false) -> Caller<State> {
    let caller = Caller(on: executor) { [manager] in await manager.refresh(restarting: restarting) }
    run()
    return caller
  }

  @discardableResult func loadNextPage() -> Caller<State> {
    let caller = Caller(on: executor) { [manager] in await manager.loadNextPage() }
    run()
    return caller
  }

  /// Answers a call, and runs what follows.
  func answer(_ call: Int, isLast: Bool = false) {
    let cursor = cursors[call]
    source.answer(call, .success((elements: [cursor, cursor + 1], next: isLast ? nil : cursor + 10)))
    run()
  }

  /// Loads that many pages. To be called first.
  func load(pages: Int, isLast: Bool = false) {
    for page in 0..<pages {
      loadNextPage()
      answer(page, isLast: isLast && page == pages - 1)
    }
  }

  /// What so many pages are together.
  static func pages(_ count: Int, isLast: Bool = false) -> Paged<Int, Int> {
    Paged(elements: (0..<count).flatMap { [$0 * 10, $0 * 10 + 1] }, next: isLast ? nil : count * 10)
  }
}
