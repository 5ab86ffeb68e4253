import Dispatch
import Testing

extension StressTests {
  /// Threads refresh, restart, cancel, log out, invalidate, poll, turn pages, and publish by hand, and churn the
  /// managers of a family.
  @Test("loads are shared, superseded, cancelled and rolled back, and a late result is never published")
  func stochastic_5_01_5_02_5_03_5_04_5_05_5_07_5_08_5_09_5_15_5_17_5_19_loading() async {
    await Workload.loading.run { round in
      var (random, result) = (round.random(69), RoundResult())
      let findings = result.findings
      let retry = RetryPolicy(maxAttempts: 1 + random.draw(3)) { _, _ in .zero }
      let endpoints = (0..<4).map { StormEndpoint(round.random(70 + $0), hangs: $0.isMultiple(of: 2)) }
      func list(_ endpoint: StormEndpoint) -> LoadingManager<[LoadedItem]> {
        LoadingManager(staleAfter: .zero, retry: retry) { try await endpoint.load(0) }
      }
      func pages(_ endpoint: StormEndpoint, staleAfter: Duration?) -> PagedManager<LoadedItem, Int> {
        PagedManager(staleAfter: staleAfter, retry: retry, firstPage: 0) { page in
          (try await endpoint.load(page), page < 5 ? page + 1 : nil)
        }
      }
      let lists = [
        LoadStorm(.anything, list(endpoints[0]), endpoints[0], findings),
        LoadStorm(.shared, list(endpoints[1]), endpoints[1], findings),
      ]
      let paged = [
        LoadStorm(.anything, pages(endpoints[2], staleAfter: .zero), endpoints[2], findings),
        // A stale list would be loaded again in place of its next page.
        LoadStorm(.shared, pages(endpoints[3], staleAfter: nil), endpoints[3], findings),
      ]
      let family = FamilyChurn(&random, findings)
      _ = await round.threads.run { index in
        var random = round.random(index)
        for _ in 0..<400 {
          if random.draw(2) == 0 { random.pick(lists).act(&random) } else { random.pick(paged).act(&random) }
          family.act(&random)
        }
      }
      family.finish()
      result.operations = 400 * round.threads.count
      for list in lists { result.deliveries += await list.finish(&random) }
      for list in paged { result.deliveries += await list.finish(&random) }
      return result
    }
  }

  /// Threads edit one list, load it, cancel loads, and cancel the callers of edits.
  @Test("edits are shown while they are sent, failed ones leave no trace, and in the end the server is right")
  func stochastic_5_20_5_23_5_24_editing() async {
    await Workload.editing.run { round in
      let result = RoundResult(operations: 60 * round.threads.count)
      let list = EditedList(result.findings, sends: round.seed.isMultiple(of: 3) ? .oneAtATime : .concurrent)
      let tasks = await round.threads.run { index in
        var random = round.random(index)
        return (0..<60).compactMap { list.act(&random, number: index * 60 + $0) }
      }
      for task in tasks.joined() { await task.value }
      await list.finish()
      return result
    }
  }

  /// Eight threads whose listeners come, receive elements, and leave or die, so that a stream starts and stops in each
  /// cycle.
  @Test("listeners come and go on eight threads, and start and stop a stream again and again")
  func stochastic_5_21_streams() async {
    await Workload.streams.run { round in
      let (threads, cycles, closed) = (8, TestRounds.of(200, full: 1_000), DispatchSemaphore(value: 0))
      let source = CountedStream { closed.signal() }
      let manager = source.makeManager(keepingAlive: round.seed.isMultiple(of: 4) ? .microseconds(100) : .zero)
      let (barrier, listeners) = (Barrier(threads), Tally())
      _ = await Threads(count: threads).run { index in
        var random = round.random(index)
        for _ in 0..<cycles {
          barrier.pass()
          for _ in 0...random.draw(2) {
            listeners.add()
            let listener = StreamListener(source)
            let waits = index == 0 || random.draw(2) == 0
            let subscription = manager.publisher.subscribe(listener, on: random.draw(2) == 0 ? .immediate : .background)
            if waits { listener.waitForElement() }
            // Otherwise, it dies.
            if random.draw(2) == 0 { subscription.cancel() }
          }
          barrier.pass()
          guard index == 0 else { continue }
          // Until the run has ended, once no thread has a listener any more. A delivery may still hold one that has
          // died; then the next element ends the run. A run that has ended before its sequence was opened closes
          // nothing, so it has to be asked again.
          source.flowing {
            while manager.publisher.subscriberCount > 0 || manager.isRunning {
              _ = closed.wait(timeout: .now() + .milliseconds(1))
            }
          }
        }
      }
      let result = RoundResult(operations: listeners.count)
      for violation in source.violations { result.findings.add(violation.rule, violation.text) }
      result.findings.expect(
        source.runs >= cycles && listeners.count >= 10 * cycles, "5.21",
        "\(listeners.count) listeners have started the stream \(source.runs) times only")
      return result
    }
  }
}

/// A list of numbers on a server, and a manager that shows it.
private final class EditedList: Sendable {
  private struct Refused: Error {}

  private let server = Guarded<[Int]>([])
  private let findings: Findings
  private let manager: LoadingManager<[Int]>
  private let sending = Guarded(0)
  private let sends: SendOrder

  init(_ findings: Findings, sends: SendOrder) {
    (self.findings, self.sends) = (findings, sends)
    manager = LoadingManager(initial: [], refreshes: .quiet, sends: sends) { [server] in
      await Task.yield()
      return server.value
    }
  }

  /// What the server answers to an edit.
  private enum Reply { case nothing, part, all }

  func act(_ random: inout SeededGenerator, number: Int) -> Task<Void, Never>? {
    switch random.draw(8) {
    case 0: return Task { [manager] in await manager.refresh() }
    case 1:
      manager.cancel()
      return nil
    case 2:
      let task = Task { await edit(number, .all, isRefused: false, pauses: 2) }
      task.cancel()
      return task
    default:
      let reply = random.pick([Reply.nothing, .part, .all])
      let (isRefused, pauses) = (random.draw(3) == 0, random.draw(4))
      return Task { await edit(number, reply, isRefused: isRefused, pauses: pauses) }
    }
  }

  private func edit(_ number: Int, _ reply: Reply, isRefused: Bool, pauses: Int) async {
    let showing: @Sendable ([Int]) -> [Int] = { $0.contains(number) ? $0 : $0 + [number] }
    let send: @Sendable () async throws -> [Int] = { [self] in
      findings.expect(shows(number), "5.20", "\(number) isn't shown when it is sent")
      let others = sending.with { count in
        defer { count += 1 }
        return count
      }
      defer { sending.with { $0 -= 1 } }
      findings.expect(sends == .concurrent || others == 0, "5.24", "\(number) is sent while \(others) others are")
      for _ in 0..<pauses { await Task.yield() }
      findings.expect(shows(number), "5.20", "\(number) isn't shown while it is sent")
      if isRefused { throw Refused() }
      return server.with { list in
        list.append(number)
        return list
      }
    }
    do {
      switch reply {
      case .all: try await manager.mutate(showing: showing, send: send)
      case .part:
        try await manager.mutate(
          showing: showing, send: { _ = try await send() }, merging: { data, _ in showing(data) })
      case .nothing: try await manager.mutate(showing: showing, sendOnly: { _ = try await send() })
      }
    } catch is Refused {
      findings.expect(!shows(number), "5.20", "\(number) was refused, and is shown")
    } catch {
      // Its caller was cancelled.
    }
  }

  private func shows(_ number: Int) -> Bool { manager.publisher.state.value?.contains(number) ?? false }

  /// Compares what is shown with the server, once no edit is pending.
  func finish() async {
    // Edits whose callers were cancelled may still be on their way.
    for await publication in manager.publisher.publications(buffering: .latest) where publication.origin != .edited {
      break
    }
    let (last, list) = (await manager.refresh(restarting: true), server.value)
    let isRight = last.value == list && manager.publisher.current.origin != .edited
    findings.expect(isRight, "5.20", "\(list) is on the server, and \(last) is shown")
  }
}

/// A family whose managers threads ask for, hold for a moment, and release.
///
/// A key must never have two managers that are held at the same time (5.19).
private final class FamilyChurn: Sendable {
  private let family: ManagerFamily<Int, LoadingManager<Int>>
  private let lingers: Bool
  private let holdings = Guarded<[Int: (manager: ObjectIdentifier, holders: Int)]>([:])
  private let findings: Findings

  init(_ random: inout SeededGenerator, _ findings: Findings) {
    (lingers, self.findings) = (random.draw(2) == 0, findings)
    let load = batching(maximum: 2, within: .microseconds(50)) { (keys: Set<Int>) in
      findings.expect((1...2).contains(keys.count), "5.25", "a request for at most two keys is for \(keys)")
      return Dictionary(uniqueKeysWithValues: keys.map { ($0, $0) })
    }
    family = ManagerFamily(
      lingering: lingers ? .milliseconds(1) : .zero, maxConcurrentLoads: random.draw(2) == 0 ? 2 : nil
    ) { key in
      LoadingManager<Int>(label: "\(key)", staleAfter: .zero) {
        let value = try await load(key)
        findings.expect(value == key, "5.25", "\(key) was asked for, and \(value) came")
        return value
      }
    }
  }

  func act(_ random: inout SeededGenerator) {
    switch random.draw(16) {
    case 0: family.logoutAll()
    case 1: family.refreshAllIfNeeded(onlyListenedTo: false)
    case 2: _ = family.keys
    case 3: family.invalidate { $0.isMultiple(of: 2) }
    default: hold(random.draw(4), random.draw(3))
    }
  }

  private func hold(_ key: Int, _ use: Int) {
    let manager = family[key]
    let isOnly = holdings.with { holdings in
      let (other, holders) = holdings[key] ?? (ObjectIdentifier(manager), 0)
      holdings[key] = (ObjectIdentifier(manager), holders + 1)
      return holders == 0 || other == ObjectIdentifier(manager)
    }
    findings.expect(isOnly, "5.19", "the key \(key) has two managers at once")
    switch use {
    case 0: manager.refreshIfNeeded()
    case 1: manager.invalidate()
    default: manager.set(key)
    }
    holdings.with { $0[key]?.holders -= 1 }
    withExtendedLifetime(manager) {}
  }

  /// Looks for managers that are left, when no thread holds one any more.
  func finish() {
    let left = family.keys
    findings.expect(lingers || left.isEmpty, "5.19", "the managers of \(left) live although nobody holds them")
  }
}
