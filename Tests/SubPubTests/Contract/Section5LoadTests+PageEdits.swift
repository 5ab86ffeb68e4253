import SubPub
import SubPubTesting
import Testing

// Rules 5.08, 5.16, 5.20 and 5.23, for lists of pages that are edited, set, or limited.
extension Section5LoadTests {
  private func elements(_ bench: PageBench) -> [Int]? { bench.publisher.state.value?.elements }

  @Test("the oldest page is dropped when there are too many, and a refresh begins with the first")
  func required_5_08_maxPages() {
    let bench = PageBench(maxPages: 2)
    bench.load(pages: 2)
    #expect(bench.publisher.state == .loaded(PageBench.pages(2)))
    bench.load(pages: 1)
    #expect(bench.publisher.state == .loaded(PageBench.pages(3, from: 1)))
    bench.load(pages: 1)
    #expect(bench.publisher.state == .loaded(PageBench.pages(4, from: 2)))
    bench.refresh()
    bench.answer(4)
    #expect((bench.publisher.state, bench.cursors) == (.loaded(PageBench.pages(1)), [0, 10, 20, 30, 0]))
  }

  @Test("elements that an edit has removed aren't dropped once more with the oldest page")
  func required_5_08_5_20_removedElements() {
    let bench = PageBench(maxPages: 2)
    bench.load(pages: 2)
    _ = bench.call { [manager = bench.manager] in
      try? await manager.mutate(showing: { $0.filter { $0 != 0 } }, sendOnly: {})
    }
    #expect(elements(bench) == [1, 10, 11])
    bench.load(pages: 1)
    #expect(elements(bench) == [10, 11, 20, 21])
    bench.load(pages: 1)
    #expect(elements(bench) == [20, 21, 30, 31])
  }

  @Test("callers that wait for a refresh load one page after it, even if only one is kept")
  func required_5_08_5_14_maxPagesDuringRefresh() {
    let bench = PageBench(maxPages: 1)
    bench.load(pages: 1)
    bench.refresh()
    let other = ManualExecutor()
    let late = Caller(on: other) { [manager = bench.manager] in await manager.loadNextPage() }
    other.runAll()
    let caller = bench.loadNextPage()
    bench.answer(1)
    bench.answer(2)
    #expect((caller.result, late.result) == (.loaded(PageBench.pages(2, from: 1)), nil))
    other.runAll()
    #expect((late.result, bench.cursors) == (.loaded(PageBench.pages(2, from: 1)), [0, 0, 10]))
  }

  @Test("edits change the elements; later pages follow, and dropped pages take with them what they have brought")
  func required_5_20_5_08_pages() async {
    let (bench, server) = (PageBench(maxPages: 2), Source<Void>(isStubborn: true))
    bench.load(pages: 2)
    let caller = bench.call { [manager = bench.manager] in
      try? await manager.mutate(showing: { $0 + [99] }, sendOnly: { try await server.load() })
    }
    #expect(bench.publisher.state == .loaded(Paged(elements: [0, 1, 10, 11, 99], next: 20)))
    bench.load(pages: 1)
    // Only what the server has is divided into pages.
    #expect(bench.publisher.state == .loaded(Paged(elements: [10, 11, 20, 21, 99], next: 30)))
    server.answer(0, .success(()))
    bench.run()
    #expect((elements(bench), caller.result == nil) == ([10, 11, 20, 21, 99], false))
    bench.load(pages: 1)
    #expect(bench.publisher.state == .loaded(Paged(elements: [20, 21, 99, 30, 31], next: 40)))
  }

  @Test("an answer is merged into the elements, and a page that may lack it is dropped")
  func required_5_23_5_08_pages() {
    let (bench, server) = (PageBench(), Source<Int>(isStubborn: true))
    bench.load(pages: 1)
    let caller = bench.call { [manager = bench.manager] in
      try? await manager.mutate(showing: { [-1] + $0 }, send: { try await server.load() }, merging: { [$1] + $0 })
    }
    #expect(elements(bench) == [-1, 0, 1])
    bench.loadNextPage()
    server.answer(0, .success(7))
    bench.run()
    #expect((elements(bench), caller.result) == ([7, 0, 1], 7))
    bench.answer(1)
    #expect((elements(bench), bench.publisher.isStale) == ([7, 0, 1], true))
    bench.load(pages: 1)
    #expect((elements(bench), bench.cursors) == ([7, 0, 1, 10, 11], [0, 10, 10]))
  }

  @Test("a list that is set is one page, supersedes a load, and drops edits")
  func required_5_16_5_20_pages() {
    let (bench, server) = (PageBench(isStubborn: true, maxPages: 2), Source<Void>(isStubborn: true))
    bench.load(pages: 2)
    _ = bench.call { [manager = bench.manager] in
      try? await manager.mutate(showing: { $0 + [99] }, sendOnly: { try await server.load() })
    }
    bench.loadNextPage()
    bench.manager.set(Paged(elements: [5, 6, 7], next: 40))
    bench.answer(2)
    #expect(bench.publisher.state == .loaded(Paged(elements: [5, 6, 7], next: 40)))
    bench.load(pages: 1)
    #expect(bench.publisher.state == .loaded(Paged(elements: [5, 6, 7, 40, 41], next: 50)))
    bench.load(pages: 1)
    #expect(bench.publisher.state == .loaded(Paged(elements: [40, 41, 50, 51], next: 60)))
    server.answer(0, .success(()))
    bench.run()
    // Also a list that has come in pages.
    let again = PageBench(refreshes: .loadedPages)
    again.load(pages: 3)
    if let list = again.publisher.state.value { again.manager.set(list) }
    again.refresh()
    again.answer(3)
    #expect(again.publisher.state == .loaded(PageBench.pages(1)))
  }
}
