import SubPub
import SubPubTesting
import Testing

// Rule 5.22: transforms that run on a context of their own.
extension Section5LoadTests {
  @Test("a transform with a context runs there, once for each transition from the current state on")
  func required_5_22_context() {
    let (source, executor, log) = (Publisher<Int>(initial: 1), ManualExecutor(), Recorder<Int>())
    let derived = source.map(label: "slow", on: .executor(executor)) { $0 * 10 }
    derived.subscribe(log, on: .immediate)
    source.updateData(2)
    #expect((derived.state, derived.label) == (.unknown, "slow"))
    executor.runAll()
    source.startLoading()
    source.setError(Failure.offline)
    source.reset()
    executor.runAll()
    source.updateData(3)
    source.finish()
    #expect(log.states.count == 6)
    executor.runAll()
    #expect(
      log.states == [
        .unknown, .loaded(10), .loaded(20), .loading(previous: 20), .error(Failure.offline, previous: 20), .unknown,
        .loaded(30),
      ])
    #expect(log.publications.map(\.version) == Array(0...6))
    #expect(derived.subscribe(log, on: .immediate, ifDuplicate: .allow) { _, _ in }.end == .publisherEnded)
  }

  @Test("a transform that is busy skips states if its policy does, and gets the last one", arguments: [false, true])
  func required_5_22_2_04_contextSkips(isImmediate: Bool) {
    let (source, executor, log) = (Publisher<Int>(), ManualExecutor(), Recorder<Int>())
    let derived = source.map(on: isImmediate ? .immediate : .executor(executor), buffering: .latest) { $0 * 10 }
    derived.subscribe(log, on: .immediate)
    executor.runAll()
    // There was no value, and there still is none.
    #expect(derived.current.version == 0)
    for number in 1...100 { source.updateData(number) }
    executor.runAll()
    let expected = isImmediate ? (1...100).map { LoadState.loaded($0 * 10) } : [.loaded(1000)]
    #expect(log.states == [.unknown] + expected)
  }

  @Test("every kind of derived publisher has its transform run on the context")
  func required_5_22_contexts() {
    let (source, executor) = (Publisher<Int>(initial: 1), ManualExecutor())
    let context = DeliveryContext.executor(executor)
    let (runs, log) = (Locked(0), Recorder<Int>())
    let count: @Sendable (Int) -> Int = { number in
      runs.withLock { $0 += 1 }
      return number
    }
    let derived = [
      source.map(on: context, count), source.map(removingDuplicates: true, on: context, buffering: .newest(5), count),
      source.compactMap(on: context) { $0 > 1 ? count($0) : nil }, source.mapState(on: context) { $0.map(count) },
    ]
    #expect(runs.withLock { $0 } == 0)
    executor.runAll()
    #expect(derived.map(\.state) == [.loaded(1), .loaded(1), .unknown, .loaded(1)])
    derived[1].subscribe(log, on: .immediate)
    for _ in 0..<3 { source.updateData(2) }
    #expect(runs.withLock { $0 } == 3)
    executor.runAll()
    #expect(derived.allSatisfy { $0.state == .loaded(2) })
    #expect(log.states == [.loaded(1), .loaded(2)])
  }

  @Test("a derived publisher finishes when its actor dies, or when it has fallen behind")
  func required_5_22_3_09_contextEnds() async {
    actor Place {}
    let source = Publisher<Int>(initial: 1)
    var place: Place? = Place()
    let (executor, log) = (ManualExecutor(), Recorder<Int>())
    let lost = place.map { source.map(on: .actor($0)) { $0 } }
    await source.drain()
    let behind = source.map(on: .executor(executor), buffering: .ending(2)) { $0 }
    place = nil
    for number in 2...4 { source.updateData(number) }
    #expect(source.subscriberCount == 0)
    #expect(lost?.state == .loaded(1))
    for derived in [lost, behind] {
      #expect(derived?.subscribe(log, on: .immediate, ifDuplicate: .allow) { _, _ in }.end == .publisherEnded)
    }
    // A job that never runs would leak.
    executor.runAll()
  }

  @Test(
    "without a context, the derived publisher begins with the current state, whatever its policy is",
    arguments: [BufferingPolicy.latest, .newest(2), .newest(.max), .ending(1), .ending(.max)])
  func required_5_22_policies(policy: BufferingPolicy) {
    let (source, log, found) = (Publisher<Int>(initial: 1), Recorder<Int>(), Recorder<Int>())
    source.subscribe(log, on: .immediate, buffering: policy) { [weak source] log, state in
      log.receive(state)
      // While the lane of that policy is being served.
      if let source { found.receive(source.map(buffering: policy) { $0 * 10 }.state) }
    }
    let derived = source.map(buffering: policy) { $0 * 10 }
    #expect(derived.state == .loaded(10))
    source.updateData(2)
    #expect((derived.state, derived.current.version) == (.loaded(20), 2))
    #expect((log.states, found.states) == ([.loaded(1), .loaded(2)], [.loaded(10), .loaded(20)]))
  }

  @Test("a derived publisher with a context leaves nothing at its source when it is released")
  func required_5_22_3_05_contextReleased() {
    let (source, executor, deaths) = (Publisher<Int>(initial: 1), ManualExecutor(), Deaths())
    var captured: Deaths.Token? = deaths.makeToken()
    var derived: ReadOnlyPublisher<Int>? = source.map(on: .executor(executor)) { [captured] in
      withExtendedLifetime(captured) { 0 } + $0
    }
    captured = nil
    executor.runAll()
    #expect((derived?.state, source.subscriberCount) == (.loaded(1), 1))
    source.updateData(2)
    derived = nil
    executor.runAll()
    #expect((source.subscriberCount, deaths.count) == (0, 1))
  }
}
