import SubPub
import SubPubTesting
import Testing

// Rule 5.22: combined publishers.
extension Section5LoadTests {
  /// A state of one part, with or without data.
  enum PartState: String, CaseIterable, Codable, Sendable {
    case unknown, loading, loadingWithPrevious, loaded, error, errorWithPrevious

    func state(_ value: Int, _ failure: Failure) -> State {
      switch self {
      case .unknown: .unknown
      case .loading: .loading(previous: nil)
      case .loadingWithPrevious: .loading(previous: value)
      case .loaded: .loaded(value)
      case .error: .error(failure, previous: nil)
      case .errorWithPrevious: .error(failure, previous: value)
      }
    }
  }

  /// The phases of all pairs: rows for the first part, columns for the second, in the order of `PartState.allCases`.
  static let phases: [[LoadPhase]] = [
    [.unknown, .unknown, .unknown, .unknown, .error, .error],
    [.unknown, .loading, .loading, .loading, .error, .error],
    [.unknown, .loading, .loading, .loading, .error, .error],
    [.unknown, .loading, .loading, .loaded, .error, .error],
    [.error, .error, .error, .error, .error, .error],
    [.error, .error, .error, .error, .error, .error],
  ]

  @Test("the combined state follows from the states of the parts", arguments: PartState.allCases, PartState.allCases)
  func required_5_22_phases(first: PartState, second: PartState) throws {
    let (a, b) = (Publisher<Int>(), Publisher<Int>())
    let before = combining(a.readOnly, b.readOnly)
    a.setState(first.state(1, .offline))
    b.setState(second.state(2, .denied))
    let all = PartState.allCases
    let row = try #require(all.firstIndex(of: first))
    let phase = Self.phases[row][try #require(all.firstIndex(of: second))]
    let hasData = a.state.value != nil && b.state.value != nil && phase != .unknown
    for combined in [before, combining(a.readOnly, b.readOnly)] {
      let state = combined.state
      #expect((state.phase, state.value?.0) == (phase, (hasData ? 1 : nil)))
      #expect(state.value?.1 == (hasData ? 2 : nil))
      #expect(state.error as? Failure == a.state.error as? Failure ?? b.state.error as? Failure)
      #expect(combined.current.origin == (hasData ? .published : nil))
    }
    #expect(before.current.version == 2)
  }

  @Test("each transition of a source makes one, which replaces its part only")
  func required_5_22_order() {
    let (names, counts, flags) = (Publisher<String>(), Publisher<Int>(), Publisher<Bool>())
    let log = Recorder<(String, Int, Bool)>()
    let all = combining(label: "all", names.readOnly, counts.readOnly, flags.readOnly)
    all.subscribe(log, on: .immediate)
    names.updateData("a")
    counts.updateData(1)
    #expect(log.states.map(\.phase) == [.unknown, .unknown, .unknown])
    flags.updateData(true)
    counts.updateData(2)
    names.updateData("b")
    counts.startLoading()
    flags.updateData(false)
    counts.setError(Failure.offline)
    counts.updateData(3)
    flags.reset()
    let texts = log.states.map { state in "\(state.phase) " + (state.value.map { "\($0.0)\($0.1)\($0.2)" } ?? "none") }
    #expect(
      texts == [
        "unknown none", "unknown none", "unknown none", "loaded a1true", "loaded a2true", "loaded b2true",
        "loading b2true", "loading b2false", "error b2false", "loaded b3false", "unknown none",
      ])
    #expect((log.publications.map(\.version), all.label, all.staleAfter) == (Array(0...10), "all", nil))
  }

  @Test("one publisher can be several parts, whose transitions come one after the other")
  func required_5_22_samePublisher() {
    let source = Publisher<Int>()
    source.updateData(1)
    let (twice, log) = (combining(source.readOnly, source.readOnly), Recorder<(Int, Int)>())
    let (maps, mapLog) = (combining(source.map { $0 }, source.map { $0 * 10 }), Recorder<(Int, Int)>())
    let (one, oneLog) = (combining(source.readOnly), Recorder<Int>())
    twice.subscribe(log, on: .immediate)
    maps.subscribe(mapLog, on: .immediate)
    one.subscribe(oneLog, on: .immediate)
    source.updateData(2)
    #expect(log.states.compactMap(\.value).map { [$0.0, $0.1] } == [[1, 1], [2, 1], [2, 2]])
    #expect(mapLog.states.compactMap(\.value).map { [$0.0, $0.1] } == [[1, 10], [2, 10], [2, 20]])
    #expect(oneLog.states == [.loaded(1), .loaded(2)])
  }

  /// A publisher that does something whenever somebody wants to subscribe.
  private final class Trap: StatePublisher {
    let publisher = Publisher<Int>()
    private let action: @Sendable () -> Void

    init(_ action: @escaping @Sendable () -> Void) { self.action = action }

    var _access: StateAccess<Int> {
      action()
      return publisher._access
    }
  }

  @Test("what a source publishes while the others are still missing is part of the first combined state")
  func required_5_22_publishesMeanwhile() {
    let first = Publisher<Int>()
    first.updateData(0)
    let second = Trap { first.updateData((first.state.value ?? 0) + 1) }
    second.publisher.updateData(7)
    let (all, log) = (combining(first, second), Recorder<(Int, Int)>())
    #expect(all.current.version == 1)
    all.subscribe(log, on: .immediate)
    let count = first.state.value ?? 0
    #expect(count > 1)
    first.updateData(100)
    #expect(log.states.compactMap(\.value).map { [$0.0, $0.1] } == [[count, 7], [100, 7]])
  }

  @Test("combined publishers hold their sources, and leave nothing there")
  func required_5_22_combinedRelease() {
    let (values, maps) = (Deaths(), Deaths())
    let (a, b) = (Publisher<Int>(), Publisher<Deaths.Token>())
    let captured = maps.makeToken()
    var mapped: ReadOnlyPublisher<Int>? = a.map { [captured] in withExtendedLifetime(captured) { 0 } + $0 }
    var all = mapped.map { combining($0, b.readOnly, a.readOnly) }
    mapped = nil
    a.updateData(1)
    b.updateData(values.makeToken())
    b.updateData(values.makeToken())
    #expect((values.count, all?.state.phase, a.subscriberCount) == (1, .loaded, 2))
    #expect(b.subscriberCount == 1)
    b.reset()
    #expect(values.count == 2)
    all = nil
    #expect((a.subscriberCount, b.subscriberCount) == (0, 0))
  }

  @Test("of two origins, combined data has the less settled one, and it has no age", arguments: 0..<4, 0..<4)
  func required_5_22_originsInOrder(first: Int, second: Int) {
    let origins: [DataOrigin] = [.edited, .cached, .published, .loaded]
    let edited = EditBench()
    edited.edit(1)
    let cached = LoadBench(cache: ProbeCache(1))
    cached.refreshIfNeeded()
    let published = Publisher<Int>()
    published.updateData(1)
    let loaded = LoadBench()
    loaded.refresh()
    loaded.answer(0, 1)
    let sources = [edited.publisher, cached.publisher, published, loaded.publisher]
    #expect(sources.map(\.current.origin) == origins)
    let both = combining(sources[first].readOnly, sources[second].readOnly)
    #expect((both.current.origin, both.age(of: both.current)) == (origins[min(first, second)], nil))
  }
}
