import SubPub
import SubPubTesting
import Testing

// Rule 5.22: deriving while others publish.
extension Section5LoadTests {
  @Test(
    "map returns although others publish during each transition, one state or faster than the transform",
    arguments: [false, true], [1, 3])
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
    #expect(made.withLock { $0 } == order.states.compactMap(\.value))
    #expect(depth.deepest == 1)
    source.updateData(-2)
    #expect(mapped.state == .loaded(-2))
  }

  @Test("publishers that are derived while threads publish without a pause miss nothing and converge")
  func stochastic_5_22_1_03_endlessPublishing() async throws {
    let (source, order, isDone) = (Publisher<Int>(), Recorder<Int>(), Locked(false))
    let derived = Locked<[(ReadOnlyPublisher<Int>, Recorder<Int>)]>([])
    source.updateData(0)
    source.subscribe(order, on: .immediate)
    try await Race.run(threads: 3) { thread in
      if thread > 0 {
        var step = 0
        while !isDone.withLock({ $0 }) {
          source.updateData(step)
          step += 1
        }
        return
      }
      for round in 0..<30 {
        let log = Recorder<Int>()
        let late: ReadOnlyPublisher<Int>
        if round.isMultiple(of: 3) { late = combining(source.readOnly) } else { late = source.map { $0 } }
        late.subscribe(log, on: .immediate)
        derived.withLock { $0.append((late, log)) }
      }
      isDone.withLock { $0 = true }
    }
    for (late, log) in derived.withLock({ $0 }) {
      for await state in late.states() where state == source.state { break }
      #expect(log.states.last == source.state)
      #expect(order.states.suffix(log.states.count) == log.states[...])
    }
  }
}
