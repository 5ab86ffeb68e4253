#if DEBUG
  import SubPubTesting
  import Testing

  @testable import SubPub

  /// However many tasks wait, each that is cancelled costs the same: with a search for each, a test of so many takes
  /// minutes.
  @Suite("Many tasks wait, and each is cancelled", .timeLimit(.minutes(2)))
  struct ManyWaitersTests {
    private static let count = 50_000

    private let publisher = Publisher<Int>()
    private let recorder = Recorder<Int>()

    @Test("for the end of one subscription")
    func required_3_10_manyEnds() {
      let subscription = publisher.subscribe(recorder, on: .immediate)
      let registry = publisher.registry
      let waiters = (0..<Self.count).map { _ in registry.turn { $0.addEndWaiter(for: subscription) } }
      for (index, waiter) in waiters.enumerated() where index % 20_000 != 7 {
        registry.turn { _ in subscription.lane.removeEndWaiter(waiter, of: subscription) }
      }
      let left = registry.turn { _ in subscription.lane.inTurn.endWaiters.values.map { $0.sorted() } }
      #expect(left == [[waiters[7], waiters[20_007], waiters[40_007]]])
    }

    @Test("for one lane to be served")
    func required_3_07_manyDrains() {
      let (host, registry) = (ManualHost(), publisher.registry)
      let lane = publisher.subscribe(recorder, on: .actor(host)) { $0.receive($1) }.lane
      let waiters = (0..<Self.count).map { _ in
        registry.turn { state in
          let waiter = state.waiters.add(missing: 1)
          _ = lane.addDrain(waiter, upTo: state.newest)
          return waiter
        }
      }
      // Each publish looks at the first call only.
      for number in 0..<500 { publisher.updateData(number) }
      for (index, waiter) in waiters.enumerated() where index % 20_000 != 7 {
        registry.turn { _ in lane.inTurn.drains.remove(waiter) }
        if index == 100 { registry.turn { _ in lane.inTurn.drains.remove(waiter) } }
      }
      #expect(registry.turn { _ in lane.inTurn.drains.count } == 3)
      host.executor.runAll()
      #expect(registry.turn { _ in lane.inTurn.drains.count } == 0)
      // Only those that still waited were told.
      #expect(registry.turn { state in waiters.count { state.waiters.contains($0) } } == Self.count - 3)
      registry.perform { state, effects in for waiter in waiters { effects.resume(state.waiters.remove(waiter)) } }
    }

    @Test("for one load")
    func required_5_03_5_05_manyCallers() {
      var driven = DrivenLoads<Int>()
      // Were the others copied for each, it would take minutes.
      let callers = (0..<4 * Self.count).compactMap { _ in
        driven.ask { $0.ask(for: LoadRequest(kind: .whole), by: $1, $2) }.caller
      }
      for caller in callers.dropLast() { driven.follow(driven.machine.leave(caller, driven.present)) }
      #expect((callers.count, driven.shown.state) == (4 * Self.count, .loading(previous: nil)))
      driven.follow(driven.machine.leave(callers[4 * Self.count - 1], driven.present))
      #expect(driven.shown.state == .unknown)
    }

    @Test("for a blocked cache")
    func required_5_10_manyWaits() throws {
      var pending = PendingOperations()
      _ = pending.append(.write(hasNews: false) { _ in })
      let waiters = (0..<Self.count).compactMap { _ in pending.addMark() }
      #expect(waiters.count == Self.count)
      _ = pending.append(.read(for: ObjectIdentifier(recorder)) {})
      let mark = pending.addMark()
      let last = try #require(mark)
      #expect(pending.operations.count == 4)
      for waiter in waiters.dropLast() { pending.removeMark(of: waiter)?.resume() }
      #expect(pending.operations.count == 4)
      let begins = pending.begin()
      #expect(begins)
      var resumed: [Bool] = []
      while let operation = pending.next() {
        if case .mark(let mark) = operation { for task in pending.passMark(mark) { task.resume() } }
        resumed.append(pending.waiters.contains(last))
      }
      #expect(resumed == [true, true, true, false])
      #expect(waiters.allSatisfy { !pending.waiters.contains($0) })
    }
  }
#endif
