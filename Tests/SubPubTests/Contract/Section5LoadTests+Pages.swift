import SubPub
import SubPubTesting
import Testing

extension Section5LoadTests {
  @Test("5.08: pages are appended in order, from the first on, until the last; then nothing is asked for any more")
  func required_5_08_order() {
    let bench = PageBench()
    defer { bench.finish() }
    for page in 0..<4 {
      let caller = bench.loadNextPage()
      #expect(bench.cursors == (0...page).map { $0 * 10 })
      #expect(caller.result == nil)
      #expect(bench.publisher.state == .loading(previous: page == 0 ? nil : PageBench.pages(page)))
      bench.answer(page, isLast: page == 3)
      #expect(caller.result == .loaded(PageBench.pages(page + 1, isLast: page == 3)))
    }
    #expect(bench.publisher.state.value?.isComplete == true)
    let version = bench.publisher.current.version
    #expect(bench.loadNextPage().result == .loaded(PageBench.pages(4, isLast: true)))
    #expect(bench.source.calls == 4)
    #expect(bench.publisher.current.version == version)
  }

  @Test("5.08: several who ask for the next page at once share one load of it", arguments: [2, 100])
  func required_5_08_shared(callers count: Int) {
    let bench = PageBench()
    defer { bench.finish() }
    bench.load(pages: 1)
    let callers = (0..<count).map { _ in bench.loadNextPage() }
    bench.manager.refreshIfNeeded()
    #expect(bench.source.calls == 2)
    bench.answer(1)
    for caller in callers { #expect(caller.result == .loaded(PageBench.pages(2))) }
    bench.run()
    #expect(bench.cursors == [0, 10])
  }

  @Test("5.08: a refresh overtakes the load of a later page, whose late result is dropped", arguments: [true, false])
  func required_5_08_refreshDropsPage(force: Bool) {
    let bench = PageBench(isStubborn: true)
    defer { bench.finish() }
    bench.load(pages: 2)
    let page = bench.loadNextPage()
    let refresh = bench.refresh(restarting: force)
    #expect(bench.source.cancelled == [2])
    #expect(page.result == .loading(previous: PageBench.pages(2)))
    #expect(bench.cursors == [0, 10, 20, 0])
    bench.answer(2)
    #expect(bench.publisher.state == .loading(previous: PageBench.pages(2)))
    bench.answer(3)
    #expect(refresh.result == .loaded(PageBench.pages(1)))
    #expect(bench.log.states.last == .loaded(PageBench.pages(1)))
  }

  @Test("5.08: a page that comes after the refresh has ended is dropped too")
  func required_5_08_afterRefresh() {
    let bench = PageBench(isStubborn: true)
    defer { bench.finish() }
    bench.load(pages: 1)
    bench.loadNextPage()
    bench.refresh()
    bench.answer(2)
    let current = bench.publisher.current
    bench.answer(1)
    #expect(bench.publisher.current === current)
    #expect(current.state == .loaded(PageBench.pages(1)))
  }

  @Test(
    "5.08: who asks for the next page while the first is loaded anew shares that, and the old pages show until it is there"
  )
  func required_5_08_pageJoinsRefresh() {
    let bench = PageBench()
    defer { bench.finish() }
    bench.load(pages: 3)
    let refresh = bench.refresh()
    let page = bench.loadNextPage()
    #expect(bench.source.calls == 4)
    #expect(bench.publisher.state == .loading(previous: PageBench.pages(3)))
    bench.answer(3)
    #expect(refresh.result == .loaded(PageBench.pages(1)))
    #expect(page.result == .loaded(PageBench.pages(1)))
    bench.loadNextPage()
    bench.answer(4)
    #expect(bench.cursors == [0, 10, 20, 0, 10])
    #expect(bench.publisher.state == .loaded(PageBench.pages(2)))
  }

  @Test("5.08: who asks for the next page of a complete list while it is loaded anew shares that")
  func required_5_08_completeListAnew() {
    let bench = PageBench()
    defer { bench.finish() }
    bench.refresh()
    bench.answer(0, isLast: true)
    bench.refresh()
    let page = bench.loadNextPage()
    #expect(page.result == nil)
    bench.answer(1)
    #expect(page.result == .loaded(PageBench.pages(1)))
  }

  @Test("5.08: several refreshes share one load of the first page, and a refresh of no pages shares a loadNextPage")
  func required_5_08_refreshes() {
    let bench = PageBench()
    defer { bench.finish() }
    let callers = [bench.loadNextPage(), bench.refresh(), bench.refresh()]
    #expect(bench.source.calls == 1)
    bench.answer(0)
    for caller in callers { #expect(caller.result == .loaded(PageBench.pages(1))) }
    let again = [bench.refresh(), bench.refresh()]
    #expect(bench.source.calls == 2)
    bench.answer(1)
    for caller in again { #expect(caller.result == .loaded(PageBench.pages(1))) }
  }

  @Test("5.08: threads that page, refresh and log out see whole lists, in order, and never wait for ever")
  func stochastic_5_08_order() async throws {
    let manager = PagedManager<Int, Int>(firstPage: 0) { page in
      await Task.yield()
      return (elements: [page * 2, page * 2 + 1], next: page < 20 ? page + 1 : nil)
    }
    let log = Recorder<Paged<Int, Int>>()
    manager.publisher.subscribe(log, on: .immediate)
    let tasks = 4
    let callers = (0..<tasks).map { task in
      Caller {
        for step in 0..<2_400 {
          switch (step + task * 7) % 120 {
          case 0: await manager.refresh()
          case 40: await manager.refresh(restarting: true)
          case 80 where task == 0: manager.logout()
          default: await manager.loadNextPage()
          }
        }
      }
    }
    for caller in callers { try await caller.wait() }
    var lengths: Set<Int> = []
    for state in log.states {
      guard let pages = state.value else { continue }
      lengths.insert(pages.elements.count / 2)
      #expect(pages.elements == Array(0..<pages.elements.count))
      #expect(pages.next == (pages.elements.count == 42 ? nil : pages.elements.count / 2))
    }
    #expect(lengths.count > 10)
    #expect(manager.publisher.state.phase != .loading)
  }
}
