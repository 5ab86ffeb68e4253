import SubPub
import SubPubTesting
import Testing

// Rule 5.20: the callers of edits, and what is left when they, the manager, or the publisher are gone.
extension Section5LoadTests {
  @Test("a cancelled caller returns at once, and its edit stays until the sending has ended", arguments: [true, false])
  func required_5_20_cancelledCaller(succeeds: Bool) {
    let bench = EditBench()
    let edit = bench.edit(1)
    bench.loads.cancel(edit)
    #expect(throws: CancellationError.self) { try edit.result?.get() }
    #expect(bench.answering.cancelled.isEmpty)
    #expect(bench.publisher.state == .loaded(51))
    if succeeds { bench.answer(0, 7) } else { bench.refuse(0) }
    #expect(bench.publisher.state == .loaded(succeeds ? 7 : 5))
  }

  @Test("a caller that is cancelled before its call sends nothing")
  func required_5_20_cancelledBefore() {
    let bench = EditBench()
    let caller = Caller(on: bench.loads.executor) { [manager = bench.manager] in
      await #expect(throws: CancellationError.self) {
        try await manager.mutate(showing: { $0 * 10 }, sendOnly: { Issue.record("sent") })
      }
    }
    caller.cancel()
    bench.loads.run()
    #expect(caller.result != nil)
    #expect(bench.states == [.loaded(5)])
  }

  @Test("what only sends may have several statements, and may cancel the active load")
  func required_5_20_5_05_sendOnly() {
    let bench = EditBench()
    bench.loads.refresh()
    let caller = bench.loads.call { [manager = bench.manager, accepting = bench.accepting] in
      try? await manager.mutate(
        showing: { $0 * 10 + 1 },
        sendOnly: {
          manager.cancel()
          try await accepting.load()
        })
    }
    #expect((bench.publisher.state, bench.origin) == (.loaded(51), .edited))
    #expect(bench.loads.source.cancelled == [0])
    bench.accept(0)
    #expect((bench.publisher.state, bench.origin) == (.loaded(51), .published))
    #expect(caller.result != nil)
  }

  @Test("an edit is sent with the caller's task-local values")
  func required_5_20_taskLocals() {
    let bench = EditBench()
    let found = Locked<Int?>(nil)
    let caller = bench.loads.call { [manager = bench.manager] in
      try? await Marker.$number.withValue(3) {
        try await manager.mutate(showing: { $0 }, sendOnly: { found.withLock { $0 = Marker.number } })
      }
    }
    #expect(caller.result != nil)
    #expect(found.withLock { $0 } == 3)
  }

  private enum Marker { @TaskLocal static var number = 0 }

  @Test("an edit ends after its manager was released, if the publisher is still there")
  func required_5_20_releasedManager() async throws {
    let (executor, server) = (ManualExecutor(), Source<Int>(isStubborn: true))
    var manager: LoadingManager? = LoadingManager(
      LoadingOptions<Int>(on: executor, clock: ManualClock()), initial: 5
    ) { 0 }
    let publisher = try #require(manager).publisher
    let caller = Caller(on: executor) { [manager] in
      _ = try? await manager?.mutate(showing: { $0 * 10 + 1 }, send: { try await server.load() })
    }
    manager = nil
    executor.runAll()
    #expect(publisher.state == .loaded(51))
    caller.cancel()
    executor.runAll()
    server.answer(0, .success(7))
    executor.runAll()
    #expect(publisher.state == .loaded(7))
  }

  @Test("an edit whose publisher has ended is over without a trace, and its closures are released")
  func required_5_20_releasedPublisher() {
    let (executor, server) = (ManualExecutor(), Source<Int>(isStubborn: true))
    weak var probe: Probe?
    do {
      let held = Probe()
      probe = held
      let manager = LoadingManager(LoadingOptions<Int>(on: executor, clock: ManualClock()), initial: 5) { 0 }
      let caller = Caller(on: executor) {
        _ = try? await manager.mutate(showing: { held.pass($0) }, send: { try await server.load() })
      }
      executor.runAll()
      caller.cancel()
      executor.runAll()
    }
    server.answer(0, .success(7))
    executor.runAll()
    #expect(probe == nil)
  }

  private final class Probe: Sendable { func pass(_ number: Int) -> Int { number } }

  @Test("threads that edit at once lose no edit, and resurrect none")
  func stochastic_5_20_threads() async throws {
    let manager = LoadingManager<[Int]>(initial: []) { [] }
    let server = Locked<[Int]>([])
    await withTaskGroup { group in
      for task in 0..<8 {
        group.addTask {
          for index in 0..<50 {
            let number = task * 50 + index
            if number % 3 == 0 {
              await #expect(throws: Failure.denied) {
                try await manager.mutate(showing: { $0 + [number] }, sendOnly: { throw Failure.denied })
              }
            } else {
              try? await manager.mutate(
                showing: { $0 + [number] }, sendOnly: { server.withLock { $0.append(number) } })
            }
            // Its own edits are in order, and none that has failed.
            let own = (manager.publisher.state.value ?? []).filter { $0 / 50 == task }
            #expect(own == (0...index).map { task * 50 + $0 }.filter { $0 % 3 != 0 })
          }
        }
      }
    }
    let shown = try #require(manager.publisher.state.value)
    #expect(shown.sorted() == server.withLock { $0.sorted() })
    #expect(manager.publisher.current.origin == .published)
  }
}
