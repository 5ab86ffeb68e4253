import SubPub
import SubPubTesting
import Testing

// Rule 5.22: the other ways to derive one publisher from others.
extension Section5LoadTests {
  @Test("where the transform returns nil, the last value stays, and a load still ends")
  func required_5_22_compactMap() {
    let (source, log) = (Publisher<Int>(), Recorder<String>())
    let odd = source.compactMap(label: "odd") { $0 % 2 == 1 ? "\($0)" : nil }
    odd.subscribe(log, on: .immediate)
    Self.makeAllTransitions(of: source)
    source.updateData(2)
    source.updateData(4)
    source.updateData(3)
    source.updateData(4)
    source.startLoading()
    source.updateData(6)
    #expect(
      log.states == [
        .unknown, .loading(previous: nil), .loaded("1"), .loading(previous: "1"),
        .error(Failure.offline, previous: "1"), .error(Failure.offline, previous: "1"), .loaded("1"), .loaded("1"),
        .error(Failure.denied, previous: "1"), .loading(previous: "1"), .unknown, .unknown,
        .error(Failure.offline, previous: nil), .unknown, .loaded("3"), .loading(previous: "3"), .loaded("3"),
      ])
    #expect(log.publications.map(\.version) == Array(0...16))
    #expect((odd.label, odd.current.origin) == ("odd", .published))
    // Those that begin later have never had another value.
    #expect(source.compactMap { $0 % 2 == 1 ? $0 : nil }.current.version == 0)
    source.startLoading()
    #expect(source.compactMap { $0 % 2 == 1 ? $0 : nil }.state == .loading(previous: nil))
  }

  @Test("a transform of states decides about the phase, and what it throws is an error")
  func required_5_22_mapState() {
    let (source, log) = (Publisher<Int>(), Recorder<String>())
    let mapped = source.mapState(label: "checked") { state -> LoadState<String> in
      switch state {
      case .unknown: .unknown
      case .loading: .loading(previous: nil)
      case .loaded(let value): if value < 0 { throw Failure.denied } else { .loaded("\(value)") }
      case .error: .loaded("none")
      }
    }
    mapped.subscribe(log, on: .immediate)
    source.setError(Failure.offline)
    #expect(mapped.current.origin == .published)
    source.startLoading()
    source.updateData(1, age: .seconds(1))
    source.updateData(-1)
    source.updateData(2)
    source.reset()
    #expect(
      log.states == [
        .unknown, .loaded("none"), .loading(previous: nil), .loaded("1"), .error(Failure.denied, previous: "1"),
        .loaded("2"), .unknown,
      ])
    #expect(log.publications.map(\.version) == Array(0...6))
    #expect(log.publications.map(\.origin) == [nil, .published, nil, .published, .published, .published, nil])
    #expect(mapped.label == "checked")
  }

  @Test("a value that is kept ages by itself, and data that is made of an error is new")
  func required_5_22_5_06_keptValues() {
    let clock = ManualClock()
    let source = Publisher<Int>(staleAfter: .seconds(10), clock: clock, initial: 1)
    let kept = source.compactMap { $0 > 0 ? $0 : nil }
    let checked = source.mapState { state -> LoadState<Int> in
      if let value = state.value, value < 0 { throw Failure.denied }
      return state.error == nil ? state : .loaded(0)
    }
    clock.advance(by: .seconds(20))
    source.updateData(-1)
    #expect((kept.isStale, checked.isStale, source.isStale) == (true, true, false))
    #expect((kept.age(of: kept.current), checked.age(of: checked.current)) == (.seconds(20), .seconds(20)))
    source.updateData(2, age: .seconds(3))
    #expect((kept.isStale, kept.age(of: kept.current)) == (false, .seconds(3)))
    source.reset()
    source.setError(Failure.offline)
    clock.advance(by: .seconds(4))
    #expect((checked.state, checked.age(of: checked.current), checked.isStale) == (.loaded(0), .seconds(4), false))
    clock.advance(by: .seconds(6))
    #expect(checked.isStale)
  }

  @Test("publishers of all kinds can be combined, and any number of one type, or none")
  func required_5_22_mixedSources() {
    let (a, b) = (Publisher<Int>(initial: 1), Publisher<String>(initial: "b"))
    let all = combining(a, a.map { $0 + 1 }, b.readOnly, combining(a, b))
    a.updateData(5)
    let value = all.state.value
    #expect((value?.0, value?.1, value?.2, value?.3.0) == (5, 6, "b", 5))
    #expect(value?.3.1 == "b")
    let log = Recorder<[Int]>()
    let array = combining(label: "array", [a, Publisher(initial: 7)])
    array.subscribe(log, on: .immediate)
    a.setError(Failure.offline)
    a.reset()
    #expect(log.states == [.loaded([5, 7]), .error(Failure.offline, previous: [5, 7]), .unknown])
    #expect((array.label, combining([Publisher<Int>]()).state) == ("array", .loaded([])))
  }

  @Test("a publisher may begin with a value, which is its first transition")
  func required_1_01_5_06_initial() {
    let clock = ManualClock()
    let publisher = Publisher(label: "news", staleAfter: .seconds(1), clock: clock, initial: 7)
    #expect((publisher.state, publisher.current.version, publisher.current.origin) == (.loaded(7), 1, .published))
    #expect(!publisher.isStale)
    clock.advance(by: .seconds(1))
    #expect(publisher.isStale)
    #expect(Publisher(initial: "a").state == .loaded("a"))
  }
}
