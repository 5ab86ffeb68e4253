import SubPub
import SubPubTesting
import Testing

// Requests for pages after errors, and while other loads are active (5.14).
extension Section5LoadTests {
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

  @Test("calls that wait for the same refresh load one page, even if one of them wakes up late")
  func required_5_14_5_03_late() {
    let (bench, late) = (PageBench(), ManualExecutor())
    bench.load(pages: 2)
    bench.refresh()
    let next = bench.loadNextPage()
    let sleeper = Caller(on: late) { [manager = bench.manager] in await manager.loadNextPage() }
    late.runAll()
    bench.answer(2)
    bench.answer(3)
    #expect(next.result?.value == PageBench.pages(2))
    late.runAll()
    #expect((sleeper.result?.value, bench.cursors) == (PageBench.pages(2), [0, 10, 0, 10]))
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
