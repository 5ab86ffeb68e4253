import SubPub
import SubPubTesting
import Testing

// Rules 5.08 and 5.14: pages, and requests for them after errors and while other loads are active.
extension Section5LoadTests {
  @Test("pages append in order until the last, after which no page is asked for")
  func required_5_08_order() {
    let bench = PageBench()
    for page in 0..<4 {
      let caller = bench.loadNextPage()
      #expect((bench.cursors, caller.result) == ((0...page).map { $0 * 10 }, nil))
      #expect(bench.publisher.state == .loading(previous: page == 0 ? nil : PageBench.pages(page)))
      bench.answer(page, isLast: page == 3)
      #expect(caller.result == .loaded(PageBench.pages(page + 1, isLast: page == 3)))
    }
    #expect(bench.publisher.state.value?.isComplete == true)
    let version = bench.publisher.current.version
    #expect(bench.loadNextPage().result == .loaded(PageBench.pages(4, isLast: true)))
    #expect((bench.source.calls, bench.publisher.current.version) == (4, version))
  }

  @Test("a nil of the server ends the list, also if a cursor is an optional because the first page has none")
  func required_5_08_tokens() async {
    let answers: [String?: String] = [nil: "a", "a": "b"]
    let list = PagedManager<Int, String?>(firstPage: nil) { token in
      let next: String? = answers[token]
      return (elements: [token == nil ? 0 : 1], next: next)
    }
    for _ in 0..<5 { await list.loadNextPage() }
    let found = list.publisher.state.value
    #expect((found?.elements, found?.isComplete) == ([0, 1, 1], true))
    #expect(found?.description == "[0, 1, 1], complete")
    #expect("\(PageBench.pages(1))" == "[0, 1], next: 10")
  }

  @Test("a refresh drops the load of a later page, whichever ends first", arguments: [true, false], [true, false])
  func required_5_08_refreshDropsPage(restarting: Bool, pageEndsLast: Bool) {
    let bench = PageBench(isStubborn: true)
    bench.load(pages: 2)
    let page = bench.loadNextPage()
    let refresh = bench.refresh(restarting: restarting)
    #expect((bench.source.cancelled, page.result) == ([2], .loading(previous: PageBench.pages(2))))
    #expect(bench.cursors == [0, 10, 20, 0])
    bench.answer(pageEndsLast ? 3 : 2)
    #expect(bench.publisher.state.phase == (pageEndsLast ? .loaded : .loading))
    bench.answer(pageEndsLast ? 2 : 3)
    #expect(refresh.result == .loaded(PageBench.pages(1)))
    #expect(bench.publisher.state == .loaded(PageBench.pages(1)))
    // Two for each of the two pages, and then loading, loading and loaded.
    #expect(bench.publisher.current.version == 7)
  }

  @Test(
    "a refresh of all pages shows them at once, when all are there, as many as there were or are", arguments: [2, 4])
  func required_5_08_loadedPages(pagesThen: Int) async throws {
    let last = Locked(9)
    let list = PagedManager<Int, Int>(firstPage: 0, refreshes: .loadedPages) { page in
      (elements: [page * 10 + last.withLock { $0 }], next: page + 1 < last.withLock { $0 } ? page + 1 : nil)
    }
    let log = Recorder<Paged<Int, Int>>()
    for _ in 0..<3 { await list.loadNextPage() }
    list.publisher.subscribe(log, on: .immediate)
    last.withLock { $0 = pagesThen }
    await list.refresh()
    let expected = (0..<min(3, pagesThen)).map { $0 * 10 + pagesThen }
    #expect(log.states.map(\.phase) == [.loaded, .loading, .loaded])
    #expect(log.states.last?.value?.elements == expected)
    await list.loadNextPage()
    #expect(log.states.last?.value?.elements == (0..<min(4, pagesThen)).map { $0 * 10 + pagesThen })
  }

  @Test("a refresh of all pages that fails at one of them changes nothing but the phase")
  func required_5_08_5_14_loadedPagesFail() async {
    let fails = Locked(false)
    let list = PagedManager<Int, Int>(firstPage: 0, maxPages: 2, refreshes: .loadedPages) { page in
      if page == 2, fails.withLock({ $0 }) { throw Failure.offline }
      return (elements: [page], next: page + 1)
    }
    for _ in 0..<3 { await list.loadNextPage() }
    fails.withLock { $0 = true }
    let former = list.publisher.state.value
    #expect(await list.refresh() == .error(Failure.offline, previous: former))
    fails.withLock { $0 = false }
    #expect(await list.refresh().value?.elements == [1, 2])
  }

  @Test("a cancelled refresh of all pages asks for no more of them, even if the loader ignores that")
  func required_5_08_5_05_loadedPagesCancelled() {
    let bench = PageBench(isStubborn: true, refreshes: .loadedPages)
    bench.load(pages: 2)
    bench.refresh()
    bench.manager.cancel()
    bench.answer(2)
    #expect((bench.cursors, bench.publisher.state) == ([0, 10, 0], .loaded(PageBench.pages(2))))
  }

  @Test("a list is as old as its first page")
  func required_5_08_5_06_staleness() {
    let bench = PageBench(staleAfter: .seconds(60))
    bench.load(pages: 1)
    bench.pass(.seconds(59))
    bench.loadNextPage()
    bench.fail(1)
    bench.load(pages: 1)
    #expect(!bench.publisher.isStale)
    bench.pass(.seconds(1))
    #expect(bench.publisher.isStale)
    bench.refreshIfNeeded()
    bench.answer(3)
    #expect((bench.publisher.isStale, bench.cursors) == (false, [0, 10, 10, 0]))
  }

  @Test("pages of unknown age, which came with an error, become stale once another page follows them")
  func required_5_08_5_06_unknownAge() {
    let bench = PageBench(staleAfter: .seconds(60))
    bench.publisher.setState(.error(Failure.offline, previous: PageBench.pages(1)))
    bench.loadNextPage()
    #expect((bench.answer(0), bench.publisher.isStale) == (.loaded(PageBench.pages(2)), false))
    bench.pass(.seconds(60))
    #expect(bench.publisher.isStale)
  }

  @Test("a page that changes nothing makes the pages before neither new nor valid")
  func required_5_08_5_06_unchangedPage() async {
    let (clock, options) = (
      ManualClock(), Locked(LoadingOptions<Paged<Int, Int>>(staleAfter: .seconds(60), isUnchanged: ==))
    )
    options.withLock { $0.clock = clock }
    let manager = PagedManager(options.withLock { $0 }, firstPage: 0) { cursor in
      (elements: cursor == 0 ? [1] : [], next: 1)
    }
    await manager.loadNextPage()
    clock.advance(by: .seconds(50))
    await manager.loadNextPage()
    #expect(!manager.publisher.isStale)
    clock.advance(by: .seconds(10))
    #expect(manager.publisher.isStale)
    await manager.refresh()
    manager.invalidate()
    await manager.loadNextPage()
    #expect((manager.publisher.isStale, manager.publisher.state.value?.elements) == (true, [1]))
  }

  @Test("one more page doesn't make a list of unknown age new")
  func required_5_08_5_06_unknownStays() {
    let bench = PageBench(options: { $0.errorStaleAfter = .seconds(10) })
    bench.publisher.updateData(PageBench.pages(1))
    bench.load(pages: 1)
    let caller = bench.call { [manager = bench.manager] in try? await manager.value(maxAge: .seconds(60)) }
    #expect((caller.result, bench.cursors) == (nil, [10, 0]))
  }

  @Test("the failure of a later page costs no page, and that page is asked for again until the list is stale")
  func required_5_14_laterPage() {
    let bench = PageBench(staleAfter: .seconds(60))
    bench.load(pages: 2)
    let list = bench.publisher.state.value
    bench.loadNextPage()
    bench.fail(2)
    bench.refreshIfNeeded()
    #expect((bench.cursors, bench.publisher.state) == ([0, 10, 20, 20], .loading(previous: list)))
    bench.fail(3)
    bench.pass(.seconds(60))
    bench.refreshIfNeeded()
    #expect(bench.cursors == [0, 10, 20, 20, 0])
    // The failure of the first page isn't one of a later page.
    bench.fail(4)
    bench.publisher.updateData(list ?? Paged(elements: [], next: nil))
    bench.refresh()
    bench.fail(5)
    bench.refreshIfNeeded()
    #expect(bench.cursors == [0, 10, 20, 20, 0, 0, 0])
  }

  @Test("a page that is asked for during a refresh is the one behind its result", arguments: [true, false])
  func required_5_14_5_15_duringRefresh(isFresh: Bool) {
    let bench = PageBench()
    bench.load(pages: 2)
    let refresh = bench.refresh()
    if !isFresh { bench.manager.invalidate() }
    let next = bench.loadNextPage()
    #expect(bench.cursors == [0, 10, 0])
    bench.answer(2)
    #expect((refresh.result?.value?.elements, next.result == nil) == ([0, 1], true))
    #expect(bench.cursors == [0, 10, 0, 10])
    bench.answer(3)
    #expect(next.result?.value?.elements == [0, 1, 10, 11])
    // If the refresh fails, no page is behind it.
    bench.refresh()
    let failed = bench.loadNextPage()
    bench.fail(4)
    #expect((failed.result?.phase, bench.cursors.count) == (.error, 5))
  }

  @Test("a page that is asked for while a cached list is loaded again is the one behind the new list")
  func required_5_14_5_11_cached() {
    let cache = MemoryCache(limit: 1).cache(for: "pages", of: Paged<Int, Int>.self)
    cache.write(PageBench.pages(3))
    let bench = PageBench(options: { $0.cache = cache })
    bench.refresh()
    #expect(bench.publisher.state == .loading(previous: PageBench.pages(3)))
    let next = bench.loadNextPage()
    bench.answer(0)
    bench.answer(1)
    #expect((bench.cursors, next.result?.value) == ([0, 10], PageBench.pages(2)))
  }

  @Test("a fresh cached list is as good as a first page, and the next page is the one behind it")
  func required_5_14_5_11_fresh() {
    let cache = MemoryCache(limit: 1).cache(for: "pages", of: Paged<Int, Int>.self)
    cache.write(PageBench.pages(3))
    let bench = PageBench(options: { $0.cache = cache })
    #expect((bench.loadNextPage().result, bench.cursors.isEmpty) == (.loaded(PageBench.pages(3)), true))
    bench.loadNextPage()
    #expect(bench.cursors == [30])
  }

  @Test("a stale list is loaded again even while one more page is loaded", arguments: [true, false])
  func required_5_14_5_06_stale(isInvalidated: Bool) {
    let bench = PageBench(staleAfter: .seconds(60))
    bench.load(pages: 1)
    let next = bench.loadNextPage()
    bench.refreshIfNeeded()
    #expect(bench.cursors == [0, 10])
    if isInvalidated { bench.manager.invalidate() } else { bench.pass(.seconds(60)) }
    bench.refreshIfNeeded()
    #expect((bench.cursors, bench.source.cancelled) == ([0, 10, 0], [1]))
    bench.answer(2)
    #expect((next.result?.phase, bench.publisher.isStale) == (.loading, false))
  }
}
