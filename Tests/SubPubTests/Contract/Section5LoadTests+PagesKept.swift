import SubPub
import SubPubTesting
import Testing

extension Section5LoadTests {
  @Test("5.08: an error on a page keeps the pages, and the same page is tried again")
  func required_5_08_error() {
    let bench = PageBench()
    defer { bench.finish() }
    bench.load(pages: 2)
    for call in 2..<4 {
      let caller = bench.loadNextPage()
      bench.fail(call)
      #expect(caller.result == .error(Failure.offline, previous: PageBench.pages(2)))
    }
    bench.loadNextPage()
    bench.answer(4)
    #expect(bench.cursors == [0, 10, 20, 20, 20])
    #expect(bench.publisher.state == .loaded(PageBench.pages(3)))
  }

  @Test("5.08: an error on the first page anew keeps the pages too; the first page has none to keep")
  func required_5_08_errorOnRefresh() {
    let bench = PageBench()
    defer { bench.finish() }
    bench.loadNextPage()
    bench.fail(0)
    #expect(bench.publisher.state == .error(Failure.offline, previous: nil))
    bench.loadNextPage()
    bench.answer(1)
    bench.refresh()
    bench.fail(2)
    #expect(bench.publisher.state == .error(Failure.offline, previous: PageBench.pages(1)))
    bench.manager.refreshIfNeeded()
    bench.run()
    bench.answer(3)
    #expect(bench.cursors == [0, 0, 0, 0])
    #expect(bench.publisher.state == .loaded(PageBench.pages(1)))
  }

  @Test("5.08: within one load, a page that failed is tried again by the policy, from the same cursor")
  func required_5_08_retry() {
    let bench = PageBench(retry: RetryPolicy(maxAttempts: 3) { _, _ in .seconds(5) })
    defer { bench.finish() }
    bench.load(pages: 1)
    let caller = bench.loadNextPage()
    bench.fail(1)
    let joining = bench.loadNextPage()
    bench.pass(.seconds(5))
    bench.answer(2)
    for caller in [caller, joining] { #expect(caller.result == .loaded(PageBench.pages(2))) }
    #expect(bench.cursors == [0, 10, 10])
  }

  @Test("5.08: reset and logout drop a late page, and the next one is the first", arguments: [true, false])
  func required_5_08_logout(isLogout: Bool) {
    let bench = PageBench(isStubborn: true)
    defer { bench.finish() }
    bench.load(pages: 2)
    let caller = bench.loadNextPage()
    if isLogout { bench.manager.logout() } else { bench.publisher.reset() }
    bench.run()
    #expect(caller.result == .unknown)
    #expect(bench.source.cancelled == [2])
    bench.answer(2)
    #expect(bench.publisher.state == .unknown)
    bench.loadNextPage()
    bench.answer(3)
    #expect(bench.cursors == [0, 10, 20, 0])
    #expect(bench.publisher.state == .loaded(PageBench.pages(1)))
  }

  @Test("5.08: when the last who waits for a page is cancelled, the pages come back")
  func required_5_08_5_05_cancel() {
    let bench = PageBench(isStubborn: true)
    defer { bench.finish() }
    bench.load(pages: 2)
    let callers = [bench.loadNextPage(), bench.loadNextPage()]
    bench.cancel(callers[0])
    #expect(callers[0].result == .loading(previous: PageBench.pages(2)))
    bench.cancel(callers[1])
    #expect(bench.source.cancelled == [2])
    #expect(callers[1].result == .loaded(PageBench.pages(2)))
    bench.answer(2)
    #expect(bench.publisher.state == .loaded(PageBench.pages(2)))
    // Also by a refresh that overtook the page.
    bench.loadNextPage()
    bench.cancel(bench.refresh())
    #expect(bench.publisher.state == .loaded(PageBench.pages(2)))
  }

  @Test("5.08: a list is as old as its first page")
  func required_5_08_5_06_staleness() {
    let bench = PageBench(staleAfter: .seconds(60))
    defer { bench.finish() }
    bench.load(pages: 1)
    bench.pass(.seconds(59))
    bench.loadNextPage()
    bench.fail(1)
    bench.loadNextPage()
    bench.answer(2)
    #expect(!bench.publisher.isStale)
    bench.pass(.seconds(1))
    #expect(bench.publisher.isStale)
    bench.manager.refreshIfNeeded()
    bench.run()
    bench.answer(3)
    #expect(!bench.publisher.isStale)
    #expect(bench.cursors == [0, 10, 10, 0])
  }

  @Test(
    "5.08: pages whose age isn't known, as they came with an error, become stale as well once a page is behind them")
  func required_5_08_5_06_unknownAge() {
    let bench = PageBench(staleAfter: .seconds(60))
    defer { bench.finish() }
    bench.publisher.setState(.error(Failure.offline, previous: PageBench.pages(1)))
    bench.loadNextPage()
    bench.answer(0)
    #expect(bench.publisher.state == .loaded(PageBench.pages(2)))
    #expect(!bench.publisher.isStale)
    bench.pass(.seconds(60))
    #expect(bench.publisher.isStale)
  }
}
