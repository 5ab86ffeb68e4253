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

    @Test("for a read of a blocked cache")
    func required_5_10_manyReads() {
      var pending = PendingOperations()
      let readers = (0..<Self.count).map { _ in Recorder<Int>() }
      for reader in readers { _ = pending.append(.read(for: ObjectIdentifier(reader)) {}) }
      _ = pending.append(.write(hasNews: true) { _ in })
      for reader in readers.dropFirst() { #expect(pending.removeRead(for: ObjectIdentifier(reader)).count == 1) }
      #expect(pending.append(.write(hasNews: false) { _ in }).count == 1)
      // The one that is left, and the write, which still has the news.
      var left: [String] = []
      while let operation = pending.next() {
        switch operation {
        case .read: left.append("read")
        case .write(let hasNews, _): left.append("write \(hasNews)")
        default: left.append("other")
        }
      }
      #expect(left == ["read", "write true"])
    }

    @Test("for a blocked cache that is cleared again and again")
    func required_5_10_manyClears() throws {
      var (pending, waiters) = try Self.clears()
      // Those who wait for a clear that another one has taken the place of wait for nothing.
      #expect(pending.operations.count == 3)
      pending.removeMark(of: waiters[0])?.resume()
      var passed: [Bool] = []
      while let operation = pending.next() {
        if case .mark(let mark) = operation { for task in pending.passMark(mark) { task.resume() } }
        passed.append(pending.waiters.contains(waiters[1]))
      }
      #expect((passed, waiters.contains { pending.waiters.contains($0) }) == ([false, false, false], false))
    }

    @Test("for several clears of a blocked cache, and nothing is left of them")
    func required_5_10_lastWaiter() throws {
      var (pending, waiters) = try Self.clears()
      _ = pending.append(.clear {})
      // All wait at one mark now.
      for waiter in waiters.dropLast() { pending.removeMark(of: waiter)?.resume() }
      #expect(pending.operations.count == 2)
      pending.removeMark(of: waiters[Self.count - 1])?.resume()
      #expect(pending.operations.count == 1)
    }

    /// Clears of a blocked cache, and a waiter for each.
    private static func clears() throws -> (pending: PendingOperations, waiters: [WaiterID]) {
      var pending = PendingOperations()
      var waiters: [WaiterID] = []
      for _ in 0..<count {
        _ = pending.append(.clear {})
        let waiter = pending.addMark()
        waiters.append(try #require(waiter))
      }
      return (pending, waiters)
    }

    @Test("for the end of one stream")
    func required_5_21_manyEnds() {
      let bench = StreamBench()
      let listener = bench.listen()
      let driver = bench.manager?.driver
      let waits = (0..<6 * Self.count).compactMap { _ in driver?.beginWaitingForEnd(waits: true).wait }
      #expect(waits.count == 6 * Self.count)
      bench.leave(listener)
      #expect(driver?.owner.machine.endWaiters == [])
    }

    @Test("with edits of data that isn't there yet")
    func required_5_20_manyEdits() {
      let owner = ManagerOwner(LoadMachine<Int>(LoadMachine<Int>.Rules()))
      let present = DrivenLoads<Int>().present
      var former: ForeignValues<Int>?
      let ids = (0..<2 * Self.count).map { _ in EditID() }
      for id in ids {
        _ = owner.decide(keeping: &former) { machine in
          if case .done(let step) = machine.add(Edit(id: id) { $0 }, nil, present) { step } else { ManagerStep() }
        }
      }
      #expect((owner.machine.stack.edits.count, former?.dropped.count) == (2 * Self.count, 0))
      _ = owner.decide(keeping: &former) { $0.supersede() }
      #expect((owner.machine.stack.edits.count, former?.dropped.count) == (0, 2 * Self.count))
    }
  }
#endif
