import SubPub
import SubPubTesting
import Testing

// Rule 5.22 on real threads, and while others publish.
extension Section5LoadTests {
  @Test("each transition of a combined publisher replaces one part, whatever threads publish")
  func stochastic_5_22_1_02_interleaving() async throws {
    for _ in 0..<20 {
      let sources = [Publisher<Int>(), Publisher<Int>()]
      for source in sources { source.updateData(-1) }
      let logs = [Recorder<Int>(), Recorder<Int>()]
      for (source, log) in zip(sources, logs) { source.subscribe(log, on: .immediate) }
      let (both, log) = (combining(sources[0].readOnly, sources[1].map { $0 }), Recorder<(Int, Int)>())
      both.subscribe(log, on: .immediate)
      try await Race.run(threads: 8) { thread in
        for step in 0..<100 { sources[thread % 2].updateData(thread * 1_000 + step) }
      }
      // A thread that has delivered much for others leaves the rest to one of Dispatch.
      for log in logs { try await log.wait(count: 401) }
      try await log.wait(count: 801)
      let pairs = log.states.compactMap(\.value)
      let (first, second) = (logs[0].states.compactMap(\.value), logs[1].states.compactMap(\.value))
      // The parts of the present pair, as positions in the sequences of the sources.
      var (a, b) = (0, 0)
      try #require(pairs.count == 801)
      #expect(pairs[0] == (first[0], second[0]))
      for pair in pairs.dropFirst() {
        if a + 1 < first.count, pair == (first[a + 1], second[b]) {
          a += 1
        } else if b + 1 < second.count, pair == (first[a], second[b + 1]) {
          b += 1
        } else {
          Issue.record("\(pair) doesn't follow \((first[a], second[b]))")
          return
        }
      }
      #expect(log.publications.map(\.version) == Array(1...801))
    }
  }

  @Test("derived publishers converge, with one transition for each of the source's, while threads publish")
  func stochastic_5_22_1_03_convergence() async throws {
    let seed = UInt64.random(in: 0..<1 << 32)
    print("the seed is \(seed)")
    for round in 0..<TestRounds.of(20, full: 50) {
      let (source, log, order) = (Publisher<Int>(), Recorder<Int>(), Recorder<Int>())
      source.subscribe(order, on: .immediate)
      let mapped = source.map { -$0 }.map { -$0 }
      let distinct = source.map(removingDuplicates: true) { $0 / 4 }
      let derived = Locked<[(ReadOnlyPublisher<Int>, Recorder<Int>)]>([])
      mapped.subscribe(log, on: .immediate)
      try await Race.run(threads: 8) { thread in
        var generator = SeededGenerator(seed: seed &+ UInt64(round * 8 + thread))
        for step in 0..<20 {
          switch Int.random(in: 0..<8, using: &generator) {
          case 0: source.startLoading()
          case 1: source.setError(Failure.offline)
          case 2: source.reset()
          case 3:
            let late: ReadOnlyPublisher<Int>
            if step.isMultiple(of: 2) { late = source.map { $0 } } else { late = combining(source.readOnly) }
            let log = Recorder<Int>()
            late.subscribe(log, on: .immediate)
            derived.withLock { $0.append((late, log)) }
          default: source.updateData(thread * 100 + step)
          }
        }
      }
      #expect((log.states, mapped.current.version) == (order.states, source.current.version))
      #expect(distinct.state == source.state.map { $0 / 4 })
      // A publisher that is derived late has a suffix of the source's states, with nothing missing.
      for (late, log) in derived.withLock({ $0 }) {
        #expect((late.state, order.states.suffix(log.states.count)) == (source.state, log.states[...]))
      }
    }
  }

  @Test("threads that derive, publish and release leave nothing behind, and end no delivery early")
  func stochastic_5_22_3_05_release() async throws {
    for _ in 0..<TestRounds.of(30, full: 100) {
      let (sources, deaths, made) = ([Publisher<Int>(), Publisher<Int>()], Deaths(), Locked(0))
      let shared = Locked<ReadOnlyPublisher<Int>?>(nil)
      try await Race.run(threads: 4) { thread in
        for step in 0..<25 {
          let source = sources[step % 2]
          source.updateData(step)
          let derivation = Derivation.allCases[(thread + step) % Derivation.allCases.count]
          let derived = derivation.make(of: source, capturing: deaths)
          made.withLock { $0 += 1 }
          #expect(derived.state.phase == .loaded)
          let observation = derived.observe(on: .immediate) { _ in }
          // Another thread may be the one that releases it.
          let other = shared.withLock { shared in
            defer { shared = derived }
            return shared
          }
          source.updateData(-step)
          withExtendedLifetime((observation, other)) {}
        }
      }
      shared.withLock { $0.take() }
      #expect((sources.map(\.subscriberCount), deaths.count) == ([0, 0], made.withLock { $0 }))
    }
  }

  @Test("map returns although others publish, one state or more for each transform", arguments: [false, true], [1, 3])
  func required_5_22_returns(removingDuplicates: Bool, rate: Int) async throws {
    let (source, order, depth) = (Publisher<Int>(), Recorder<Int>(), NestingDepth())
    let (made, isDone) = (Locked<[Int]>([]), Locked(false))
    source.updateData(0)
    source.subscribe(order, on: .immediate)
    let transform: @Sendable (Int) -> Int = { [weak source] value in
      depth.enter()
      defer { depth.leave() }
      made.withLock { $0.append(value) }
      // Not for ever, so that a failure isn't a hang.
      if !isDone.withLock({ $0 }), value < 1_000 {
        OwnThread.runBlocking { for next in 1...rate { source?.updateData(value * rate + next) } }
      }
      return value
    }
    let mapped = removingDuplicates ? source.map(removingDuplicates: true, transform) : source.map(transform)
    let count = made.withLock(\.count)
    isDone.withLock { $0 = true }
    #expect(count < 200)
    source.updateData(-1)
    for await state in mapped.states() where state == source.state { break }
    // Every state once, in order, by whatever threads.
    #expect((made.withLock { $0 }, depth.deepest) == (order.states.compactMap(\.value), 1))
    source.updateData(-2)
    #expect(mapped.state == .loaded(-2))
  }

  @Test("what waits during a derivation is made even if it is much, and nobody publishes any more")
  func required_5_22_rest() async throws {
    let (source, isFirst) = (Publisher<Int>(), Locked<Bool?>(true))
    source.updateData(0)
    let tens = source.map { number in
      if isFirst.withLock({ $0.take() }) != nil { for next in 1...100 { source.updateData(next) } }
      return number * 10
    }
    while tens.state != .loaded(1_000) { await Task.yield() }
  }
}
