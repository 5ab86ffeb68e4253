import SubPub
import SubPubTesting
import Testing

// Rules 5.03, 5.04, 5.05, 5.10, and 5.18 on real threads.
extension Section5LoadTests {
  /// The result of a loader: the number of the call, and the version that was current when it began.
  struct Ticket: Hashable { let number: Int, version: UInt64 }

  @Test("concurrent refreshes, cancels, logouts and transitions commit no late result and leave no caller waiting")
  func stochastic_5_04_5_03_5_05_storm() async throws {
    let seed = UInt64.random(in: 0..<1 << 32)
    print("the seed is \(seed)")
    let (numbers, log) = (Locked(0), Recorder<Ticket>())
    let publisher = Locked<Publisher<Ticket>?>(nil)
    let manager = LoadingManager<Ticket>(retry: RetryPolicy(maxAttempts: 2) { _, _ in .zero }) {
      let version = publisher.withLock { $0 }?.current.version ?? 0
      let number = numbers.withLock { number in
        number += 1
        return number
      }
      for _ in 0..<number % 5 { await Task.yield() }
      if number.isMultiple(of: 7) { throw Failure.offline }
      return Ticket(number: number, version: version)
    }
    publisher.withLock { $0 = manager.publisher }
    defer { publisher.withLock { $0 = nil } }
    manager.publisher.subscribe(log, on: .immediate)
    for round in 0..<500 {
      let callers = Locked<[Caller<LoadState<Ticket>>]>([])
      try await Race.run(threads: 3) { thread in
        var generator = SeededGenerator(seed: seed &+ UInt64(round * 3 + thread))
        for _ in 0..<8 {
          switch Int.random(in: 0..<16, using: &generator) {
          case 0..<6:
            let caller = Caller { await manager.refresh() }
            callers.withLock { $0.append(caller) }
          case 6, 7:
            let caller = Caller { await manager.refresh(restarting: true) }
            callers.withLock { $0.append(caller) }
          case 8..<12: callers.withLock { $0.randomElement(using: &generator) }?.cancel()
          case 12: manager.logout()
          case 13: manager.publisher.updateData(Ticket(number: -1, version: 0))
          default: manager.refreshIfNeeded()
          }
        }
      }
      for caller in callers.withLock({ $0 }) { try await caller.wait() }
    }
    // Awaits the last load of refreshIfNeeded.
    manager.refreshIfNeeded()
    await manager.refresh()
    #expect(manager.publisher.state.phase != .loading)
    let history = log.publications.sorted { $0.version < $1.version }
    #expect(history.map(\.version) == Array(0..<UInt64(history.count)))
    check(history)
    let loads = history.filter { $0.phase == .loading }.count
    #expect(numbers.withLock { $0 } <= 2 * loads)
  }

  /// Checks that each result and each restored state directly follows the `loading` of its load.
  ///
  /// The loader of a result must have been called after that `loading`: here each one belongs to a load of its own.
  private func check(_ history: [Publication<Ticket>]) {
    var loading: UInt64?
    var committed: Set<Int> = []
    for publication in history {
      switch publication.state {
      case .loading:
        loading = publication.version
        continue
      case .loaded(let ticket) where ticket.number > 0:
        let isNew = committed.insert(ticket.number).inserted
        if loading == nil || isNew && ticket.version < loading ?? 0 {
          Issue.record("\(ticket) came late, as version \(publication.version)")
        }
      case .error where loading == nil: Issue.record("an error came late, as version \(publication.version)")
      case .loaded, .error, .unknown: break
      }
      loading = nil
    }
  }

  @Test("after a logout nothing from before it shows, whatever several threads load and cache")
  func stochastic_5_10_logouts() async throws {
    let (cache, begun) = (ProbeCache(), Locked(0))
    // A value is the number of logouts that had begun when it was loaded.
    let manager = LoadingManager<Int>(cache: cache) {
      await Task.yield()
      return begun.withLock { $0 }
    }
    let log = Recorder<Int>()
    manager.publisher.subscribe(log, on: .immediate)
    for _ in 0..<500 {
      let callers = Locked<[Caller<State>]>([])
      try await Race.run(threads: 3) { thread in
        for step in 0..<4 {
          if thread == 0, step.isMultiple(of: 2) {
            begun.withLock { $0 += 1 }
            manager.logout()
          } else if thread == 1, step == 3 {
            // Without a value to show, the next load reads the cache.
            manager.publisher.setState(.error(Failure.offline, previous: nil))
          } else {
            let caller = Caller { await manager.refresh() }
            callers.withLock { $0.append(caller) }
          }
        }
      }
      for caller in callers.withLock({ $0 }) { try await caller.wait() }
    }
    await manager.waitForCache()
    #expect(cache.isOneAtATime)
    var (logouts, fromCache) = (0, 0)
    let history = log.publications.sorted { $0.version < $1.version }
    for (index, publication) in history.enumerated() {
      if publication.phase == .unknown, publication.version > 0 { logouts += 1 }
      guard case .loaded(let value) = publication.state else { continue }
      #expect(value >= logouts, "version \(publication.version) is from before a logout")
      if index + 1 < history.count, history[index + 1].phase == .loading { fromCache += 1 }
    }
    #expect(logouts == 1_000)
    #expect(fromCache > 0)
  }

  @Test("threads that ask for stale data at once share one quiet load, and none of them publishes loading")
  func stochastic_5_18_5_03_quiet() async throws {
    let (depth, log) = (NestingDepth(), Recorder<Int>())
    var options = LoadingOptions<Int>()
    (options.staleAfter, options.refreshes) = (.zero, .quiet)
    let manager = LoadingManager(options, initial: 0) {
      depth.enter()
      defer { depth.leave() }
      await Task.yield()
      return 1
    }
    manager.publisher.subscribe(log, on: .immediate)
    for _ in 0..<100 {
      try await Race.run(threads: 4) { _ in for _ in 0..<20 { manager.refreshIfNeeded() } }
      await manager.refresh()
    }
    #expect(depth.deepest == 1)
    #expect(log.states.count > 100)
    #expect(log.states.allSatisfy { $0.phase == .loaded })
  }
}
