import SubPub
import SubPubTesting
import Testing

// Rule 5.20: edits that were dropped, and are confirmed later.
extension Section5LoadTests {
  /// A transition that drops the edits.
  enum Dropping: String, CaseIterable, Codable, Sendable {
    case logout, startLoading, setError, reset, updateData

    func perform(at bench: EditBench) {
      switch self {
      case .logout: bench.loads.logout()
      case .startLoading: bench.publisher.startLoading()
      case .setError: bench.publisher.setError(PublishingTests.Failure.offline)
      case .reset: bench.publisher.reset()
      case .updateData: bench.publisher.updateData(4)
      }
    }
  }

  @Test(
    "data that a load brought after an edit was dropped is stale once that edit is confirmed",
    arguments: Dropping.allCases, [true, false])
  func required_5_20_confirmedAfterNextLoad(dropping: Dropping, answers: Bool) {
    let bench = EditBench(LoadBench(staleAfter: .seconds(600), cache: ProbeCache(), initial: 5))
    if answers { bench.edit(1) } else { bench.note(1) }
    dropping.perform(at: bench)
    bench.loads.refresh()
    bench.loads.answer(0, 5)
    #expect((bench.publisher.state, bench.publisher.isStale) == (.loaded(5), false))
    if answers { bench.answer(0, 51) } else { bench.accept(0) }
    #expect((bench.publisher.state, bench.publisher.isStale) == (.loaded(5), true))
    // The value that the load has written to the cache is gone.
    bench.publisher.reset()
    bench.loads.refreshIfNeeded()
    #expect((bench.publisher.state, bench.loads.source.calls) == (.loading(previous: nil), 2))
    bench.loads.answer(1, 51)
    #expect((bench.publisher.state, bench.publisher.isStale) == (.loaded(51), false))
  }

  @Test("refreshIfNeeded and value() load data that lacks a confirmed edit")
  func required_5_20_loadsAfterDrop() {
    for asks in [{ $0.refreshIfNeeded() }, { $0.value() }] as [(LoadBench) -> Void] {
      let bench = EditBench(LoadBench(staleAfter: .seconds(600), initial: 5))
      bench.note(1)
      bench.loads.logout()
      bench.loads.refresh()
      bench.loads.answer(0, 5)
      asks(bench.loads)
      #expect(bench.loads.source.calls == 1)
      bench.accept(0)
      asks(bench.loads)
      #expect(bench.loads.source.calls == 2)
    }
  }

  @Test("a cached value that was shown after an edit was dropped is stale once that edit is confirmed")
  func required_5_20_5_11_cachedAfterDrop() {
    let bench = EditBench(LoadBench(staleAfter: .seconds(600), cache: ProbeCache(5), initial: 5))
    bench.note(1)
    bench.publisher.reset()
    bench.loads.refreshIfNeeded()
    #expect((bench.publisher.state, bench.publisher.isStale, bench.loads.source.calls) == (.loaded(5), false, 0))
    bench.accept(0)
    #expect(bench.publisher.isStale)
    bench.loads.refreshIfNeeded()
    #expect(bench.loads.source.calls == 1)
  }

  @Test("an edit that was dropped and then refused makes nothing stale")
  func required_5_20_refusedAfterDrop() {
    let bench = EditBench(LoadBench(staleAfter: .seconds(600), cache: ProbeCache(), initial: 5))
    bench.note(1)
    bench.loads.logout()
    bench.loads.refresh()
    bench.loads.answer(0, 5)
    bench.refuseNote(0)
    #expect(!bench.publisher.isStale)
    bench.publisher.reset()
    bench.loads.refreshIfNeeded()
    #expect((bench.publisher.state, bench.loads.source.calls) == (.loaded(5), 1))
  }

  @Test("previous data that update keeps has the server's origin, without the pending edits")
  func required_5_06_5_20_originOfPrevious() {
    let bench = EditBench(LoadBench(initial: 5))
    bench.note(1)
    #expect(bench.origin == .edited)
    bench.publisher.update { .error(Failure.offline, previous: $0.value) }
    #expect((bench.publisher.state, bench.origin) == (.error(Failure.offline, previous: 5), .published))
  }
}
