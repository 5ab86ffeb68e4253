import SubPub
import SubPubTesting
import Testing

// `Publishing` has the tests of rules 5.01 and 5.02, and of the publisher's part of 5.06.
@Suite("Section 5: managers share, retry, cancel and cache their loads", .hangLimit)
struct Section5LoadTests: ContractSuite {
  typealias State = LoadState<Int>

  let lifetime = TestLifetime()
  let bench = LoadBench()
  let edits = EditBench()
  let stream = StreamBench()

  /// The state before a load.
  enum Before: String, CaseIterable, Codable, Sendable {
    case unknown, loaded, error, errorWithPrevious, loadingOfAnother, loadingOfAnotherWithPrevious

    func make(at publisher: Publisher<Int>) {
      switch self {
      case .unknown: break
      case .loaded: publisher.updateData(1)
      case .error: publisher.setError(Failure.denied)
      case .errorWithPrevious:
        publisher.updateData(1)
        publisher.setError(Failure.denied)
      case .loadingOfAnother: publisher.startLoading()
      case .loadingOfAnotherWithPrevious:
        publisher.updateData(1)
        publisher.startLoading()
      }
    }
  }

  /// The options of a manager whose refreshes publish only what has changed.
  static func onlyChanges(_ options: inout LoadingOptions<Int>) {
    options.refreshes = .quiet
    options.isUnchanged = { $0 == $1 }
  }

  // MARK: 5.03

  @Test("callers share one call of the loader and its result or error", arguments: [1, 2, 100], [true, false])
  func required_5_03_result(callers count: Int, succeeds: Bool) {
    bench.publisher.updateData(1)
    let callers = (0..<count).map { _ in bench.refresh() }
    #expect(bench.source.calls == 1)
    #expect(callers.allSatisfy { $0.result == nil })
    if succeeds { bench.answer(0, 7) } else { bench.fail(0) }
    let result: State = succeeds ? .loaded(7) : .error(Failure.offline, previous: 1)
    #expect(callers.allSatisfy { $0.result == result })
    #expect(bench.states == [.unknown, .loaded(1), .loading(previous: 1), result])
    #expect(bench.source.calls == 1)
    // After its end, a refresh begins the next load, with the data at hand.
    bench.refresh()
    #expect((bench.source.calls, bench.publisher.state) == (2, .loading(previous: result.value)))
  }

  @Test("callers get the result of their load even if another state follows before they run")
  func required_5_03_overtakenResult() {
    let other = ManualExecutor()
    let caller = bench.caller(on: other)
    other.runAll()
    bench.run()
    bench.answer(0, 7)
    bench.publisher.updateData(8)
    #expect(caller.result == nil)
    other.runAll()
    #expect(caller.result == .loaded(7))
  }

  @Test("a caller that comes between two attempts shares the load")
  func required_5_03_betweenAttempts() {
    let bench = LoadBench(retry: RetryPolicy(maxAttempts: 2) { _, _ in .seconds(5) })
    let first = bench.refresh()
    bench.fail(0)
    let second = bench.refresh()
    bench.refreshIfNeeded()
    #expect(bench.source.calls == 1)
    bench.pass(.seconds(5))
    #expect(bench.source.calls == 2)
    let third = bench.load(7)
    for caller in [first, second, third] { #expect(caller.result == .loaded(7)) }
    #expect((bench.source.calls, bench.states) == (2, [.unknown, .loading(previous: nil), .loaded(7)]))
  }

  @Test("a subscriber that refreshes when it sees a load shares that load")
  func required_5_03_fromCallback() {
    let eager = Recorder<Int>()
    bench.publisher.subscribe(eager, on: .immediate) { [weak manager = bench.manager] eager, state in
      manager?.refreshIfNeeded()
      eager.receive(state)
    }
    bench.run()
    #expect((bench.source.calls, eager.states.map(\.phase)) == (1, [.unknown, .loading]))
    bench.answer(0, 7)
    #expect((eager.states.map(\.phase), bench.source.calls) == ([.unknown, .loading, .loaded], 1))
  }
}
