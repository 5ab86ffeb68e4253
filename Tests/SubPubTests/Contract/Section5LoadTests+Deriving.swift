import SubPub
import SubPubTesting
import Testing

// Rule 5.22: what `map` publishes.
extension Section5LoadTests {
  /// Makes every transition that a publisher has.
  static func makeAllTransitions(of publisher: Publisher<Int>) {
    publisher.startLoading()
    publisher.updateData(1)
    publisher.startLoading()
    publisher.setError(Failure.offline)
    publisher.republish()
    publisher.updateData(1)
    publisher.updateData(1)
    publisher.updateData(ifChanged: 1)
    publisher.setState(.error(Failure.denied, previous: 2))
    publisher.update { .loading(previous: $0.value) }
    publisher.reset()
    publisher.reset()
    publisher.setError(Failure.offline)
  }

  @Test("a mapped publisher has one transition for each of its source's, in order")
  func required_5_22_transitions() {
    let source = Publisher<Int>()
    let (calls, log) = (Locked<[Int]>([]), Recorder<String>())
    let mapped = source.map(label: "texts") { value in
      calls.withLock { $0.append(value) }
      return "\(value)"
    }
    mapped.subscribe(log, on: .immediate)
    Self.makeAllTransitions(of: source)
    #expect(
      log.states == [
        .unknown, .loading(previous: nil), .loaded("1"), .loading(previous: "1"),
        .error(Failure.offline, previous: "1"), .error(Failure.offline, previous: "1"), .loaded("1"), .loaded("1"),
        .error(Failure.denied, previous: "2"), .loading(previous: "2"), .unknown, .unknown,
        .error(Failure.offline, previous: nil),
      ])
    #expect(log.publications.map(\.version) == Array(0...12))
    #expect(mapped.current.version == source.current.version)
    #expect(calls.withLock { $0 } == [1, 1, 1, 1, 1, 1, 2, 2])
    #expect(log.publications.allSatisfy { $0.source == mapped.id })
    #expect(mapped.label == "texts")
  }

  @Test("without duplicates, a mapped publisher has no transition for an equal state")
  func required_5_22_duplicates() {
    let source = Publisher<Int>()
    let (distinct, all) = (Recorder<Int>(), Recorder<Int>())
    let mapped = source.map(removingDuplicates: true) { $0 % 2 }
    let unfiltered = source.map(removingDuplicates: false) { $0 % 2 }
    mapped.subscribe(distinct, on: .immediate)
    unfiltered.subscribe(all, on: .immediate)
    Self.makeAllTransitions(of: source)
    source.updateData(3)
    source.updateData(5)
    source.updateData(6)
    source.startLoading()
    source.startLoading()
    source.updateData(8)
    #expect(
      distinct.states == [
        .unknown, .loading(previous: nil), .loaded(1), .loading(previous: 1), .error(Failure.offline, previous: 1),
        .loaded(1), .error(Failure.denied, previous: 0), .loading(previous: 0), .unknown,
        .error(Failure.offline, previous: nil), .loaded(1), .loaded(0), .loading(previous: 0), .loaded(0),
      ])
    #expect((distinct.publications.map(\.version), all.states.count) == (Array(0..<14), 19))
  }

  @Test("a mapped publisher begins with its source's state", arguments: Before.allCases)
  func required_5_22_beginning(before: Before) {
    let derive: [@Sendable (Publisher<Int>) -> ReadOnlyPublisher<Int>] = [
      { $0.map { $0 } }, { $0.map(removingDuplicates: true) { $0 } }, { combining($0.readOnly) },
    ]
    for derive in derive {
      let source = Publisher<Int>()
      before.make(at: source)
      let derived = derive(source)
      #expect((derived.state, derived.current.version) == (source.state, (before == .unknown ? 0 : 1)))
      source.updateData(2)
      #expect((derived.state, derived.current.version) == (.loaded(2), (before == .unknown ? 1 : 2)))
    }
  }

  @Test("a publisher that is derived inside a delivery begins with that state, and misses none after it")
  func required_5_22_4_02_insideDelivery() {
    let source = Publisher<Int>()
    let (log, made, seen) = (Recorder<Int>(), Locked<[ReadOnlyPublisher<Int>]>([]), Locked<[State]>([]))
    let deriver = source.observe(on: .immediate) { [weak source] publication in
      guard publication.state == .loaded(1), let source else { return }
      source.updateData(2)
      let (mapped, both) = (source.map { $0 * 10 }, combining(source.readOnly))
      mapped.subscribe(log, on: .immediate)
      // Version 2 is published, but its delivery hasn't begun.
      seen.withLock { $0 = [mapped.state, both.state] }
      made.withLock { $0 = [mapped, both] }
      source.updateData(3)
    }
    source.updateData(1)
    #expect(seen.withLock { $0 } == [.loaded(20), .loaded(2)])
    #expect(log.states == [.loaded(20), .loaded(30)])
    #expect(made.withLock { $0.map(\.state) } == [.loaded(30), .loaded(3)])
    withExtendedLifetime(deriver) {}
  }

  @Test("states that arrive during the first transform follow it", arguments: [false, true])
  func required_5_22_1_03_duringFirst(removingDuplicates: Bool) async throws {
    let (source, gate, calls, depth) = (Publisher<Int>(), Gate(), Locked<[Int]>([]), NestingDepth())
    defer { gate.open() }
    let (derived, done) = (Locked<ReadOnlyPublisher<Int>?>(nil), Event())
    source.updateData(1)
    OwnThread.start {
      let mapped = source.map(removingDuplicates: removingDuplicates) { value in
        depth.enter()
        defer { depth.leave() }
        calls.withLock { $0.append(value) }
        if value == 1 { gate.pass() }
        return value
      }
      derived.withLock { $0 = mapped }
      done.happen()
    }
    try await gate.waitUntilHeld()
    try await OwnThread.run {
      source.updateData(2)
      source.updateData(2)
      source.reset()
    }
    #expect(calls.withLock { $0 } == [1])
    gate.open()
    try await done.wait()
    let mapped = try #require(derived.withLock { $0 })
    #expect((calls.withLock { $0 }, depth.deepest, mapped.state) == ([1, 2, 2], 1, .unknown))
    #expect(mapped.current.version == (removingDuplicates ? 3 : 4))
    source.updateData(3)
    #expect(mapped.state == .loaded(3))
  }

  @Test("derived data has the origin and the age of the source's data")
  func required_5_22_5_06_age() {
    let bench = LoadBench(staleAfter: .seconds(10))
    let mapped = bench.publisher.map { $0 }.map { "\($0)" }
    let distinct = bench.publisher.map(removingDuplicates: true) { $0 % 2 }
    bench.publisher.updateData(1, age: .seconds(4))
    #expect((mapped.staleAfter, mapped.current.origin) == (.seconds(10), .published))
    #expect(mapped.age(of: mapped.current) == .seconds(4))
    bench.pass(.seconds(6))
    #expect(mapped.isStale)
    #expect(distinct.isStale)
    let old = mapped.current
    bench.publisher.updateData(3)
    #expect(!mapped.isStale)
    #expect((mapped.age(of: old), mapped.age(of: mapped.current)) == (.seconds(10), .zero))
    // It has no transition, but its data is as new as the source's.
    #expect((distinct.current.version, distinct.isStale) == (1, false))
    #expect(distinct.age(of: distinct.current) == .zero)

    bench.refresh()
    #expect((mapped.current.phase, mapped.isStale) == (.loading, false))
    bench.answer(0, 7)
    #expect((mapped.state, mapped.current.origin) == (.loaded("7"), .loaded))
    // Publishes nothing.
    bench.manager.invalidate()
    #expect(mapped.isStale)
    #expect(distinct.isStale)
    #expect(combining(mapped, distinct).isStale)
  }

  @Test("a transform that publishes to the source makes later transitions")
  func required_5_22_4_01_transformPublishes() {
    let source = Publisher<Int>()
    let (log, depth) = (Recorder<Int>(), NestingDepth())
    let mapped = source.map { [weak source] value in
      depth.enter()
      defer { depth.leave() }
      if value < 100 { source?.updateData(value + 1) }
      return value
    }
    mapped.subscribe(log, on: .immediate)
    source.updateData(0)
    #expect((log.states, depth.deepest) == ([.unknown] + (0...100).map { .loaded($0) }, 1))
    // For the current state, the transform runs inside `map`.
    let again = source.map { [weak source] value in
      depth.enter()
      defer { depth.leave() }
      if value < 105 { source?.updateData(value + 1) }
      return value
    }
    #expect((again.state, again.current.version, depth.deepest) == (.loaded(105), 6, 2))
    #expect(mapped.state == .loaded(105))
  }

  @Test("a transform may read, subscribe, publish and derive, and other threads needn't wait for it")
  func required_5_22_1_04_transform() {
    let (source, other, probe) = (Publisher<Int>(), Publisher<Int>(), Recorder<Int>())
    let target = Locked<ReadOnlyPublisher<Int>?>(nil)
    let mapped = source.map { [weak source] value in
      guard let source else { return value }
      other.updateData(source.current.state.value ?? 0)
      source.subscribe(probe, on: .immediate) { _, _ in }.cancel()
      _ = source.map { $0 }
      OwnThread.runBlocking {
        #expect(source.subscriberCount >= 1)
        source.observe(on: .background) { _ in }.cancel()
        target.withLock { $0 }?.observe(on: .background) { _ in }.cancel()
        if value < 10 { source.updateData(value + 10) }
      }
      return value
    }
    target.withLock { $0 = mapped }
    source.updateData(1)
    #expect((mapped.state, other.state) == (.loaded(11), .loaded(11)))
    target.withLock { $0.take() }
  }

  @Test("a subscriber of a derived publisher that publishes to the source uses constant stack")
  func required_5_22_4_04_subscriberPublishes() async throws {
    let source = Publisher<Int>()
    let mapped = combining(source.map { $0 }, source.readOnly)
    let chain = PublishChain(source, length: 10_000)
    mapped.subscribe(chain, on: .immediate) { chain, _ in chain.receive() }
    try await chain.wait()
    #expect(chain.depth.deepest == 1)
  }
}
