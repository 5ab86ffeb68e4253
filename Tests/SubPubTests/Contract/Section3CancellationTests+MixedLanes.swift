import SubPub
import SubPubTesting
import Testing

// Rule 3.05 in lanes of subscriptions with different policies.
extension Section3CancellationTests {
  /// The subscriptions that share a lane with the one that is cancelled.
  struct Mix: Sendable, CustomTestStringConvertible {
    let cancelled: BufferingPolicy
    let before: [BufferingPolicy]
    /// These join after four of the five states.
    let after: [BufferingPolicy]
    /// How many of the five payloads die with the cancel.
    let deaths: Int

    var testDescription: String { "\(before), [\(cancelled)], \(after)" }

    static let all = [
      Mix(cancelled: .newest(1_000), before: [.latest], after: [], deaths: 4),
      Mix(cancelled: .newest(1_000), before: [.newest(2), .latest], after: [], deaths: 3),
      Mix(cancelled: .newest(1_000), before: [.newest(3)], after: [], deaths: 2),
      Mix(cancelled: .unbounded, before: [.newest(3), .latest], after: [], deaths: 2),
      Mix(cancelled: .unbounded, before: [.latest], after: [.unbounded], deaths: 3),
      Mix(cancelled: .unbounded, before: [.newest(1), .latest], after: [.unbounded, .unbounded], deaths: 3),
      Mix(cancelled: .unbounded, before: [.newest(3)], after: [.unbounded], deaths: 2),
      Mix(cancelled: .unbounded, before: [.latest], after: [.latest], deaths: 4),
      Mix(cancelled: .unbounded, before: [], after: [.unbounded], deaths: 3),
      Mix(cancelled: .newest(1_000), before: [.latest], after: [.unbounded], deaths: 3),
      Mix(cancelled: .newest(4), before: [.latest], after: [.newest(2)], deaths: 3),
    ]
  }

  @Test(
    "a quiescent cancel in a lane of mixed policies releases the payloads that nobody else wants",
    arguments: [.main, .queue, .concurrentQueue, .actorOnQueue] as [ContextKind], Mix.all)
  func required_3_05_mixedLaneStopped(kind: ContextKind, mix: Mix) async throws {
    let (place, deaths, publisher) = (makePlace(kind), Deaths(), keep(Publisher<Token>()))
    let subscriber = makeListener()
    func subscribe(_ policy: BufferingPolicy) -> Subscription {
      publisher.subscribe(subscriber, on: place.context, buffering: policy) { _, _ in }
    }
    let others = try await place.whileStopped {
      var others = mix.before.map(subscribe)
      let cancelled = subscribe(mix.cancelled)
      for _ in 1...4 { publisher.updateData(deaths.makeToken()) }
      others += mix.after.map(subscribe)
      publisher.updateData(deaths.makeToken())
      #expect(deaths.count < mix.deaths)
      #expect(cancelled.cancel() == .quiescent)
      #expect(deaths.count == mix.deaths)
      return others
    }
    await publisher.drain()
    #expect(others.allSatisfy { $0.statistics.lastVersion == 5 })
  }

  @Test("in a held lane unwanted payloads die with the round", arguments: ContextKind.holdableShared, Mix.all)
  func required_3_05_mixedLaneHeld(kind: ContextKind, mix: Mix) async throws {
    let (place, deaths, publisher) = (makePlace(kind), Deaths(), keep(Publisher<Token>()))
    let (gate, next, subscriber, holder) = (makeGate(), makeGate(), makeListener(), makeListener())
    // The subscription to cancel is held in version 0, and the others in the next round.
    OwnThread.start {
      for policy in mix.before {
        publisher.subscribe(subscriber, on: place.context, buffering: policy) { _, state in
          if state.value != nil { next.pass() }
        }
      }
      publisher.subscribe(holder, on: place.context, buffering: mix.cancelled) { _, _ in gate.pass() }
    }
    try await gate.waitUntilHeld()
    for _ in 1...4 { publisher.updateData(deaths.makeToken()) }
    for policy in mix.after {
      publisher.subscribe(subscriber, on: place.context, buffering: policy) { _, _ in next.pass() }
    }
    publisher.updateData(deaths.makeToken())
    #expect(try await OwnThread.result { publisher.unsubscribe(holder) } == .inFlight)
    gate.open()
    if mix.before.isEmpty && mix.after.isEmpty {
      try await deaths.wait(count: 4)
    } else {
      try await next.waitUntilHeld()
    }
    let kept =
      mix.before.map { $0.rest(of: Array(1...5)) } + mix.after.map { $0.rest(of: [4, 5]) } + [[5]]
    #expect(deaths.count == 5 - Set(kept.flatMap { $0 }).count)
    next.open()
    await publisher.drain()
  }

  @Test("payloads die with the round even if a neighbor still wants later ones", arguments: ContextKind.holdableShared)
  func required_3_05_payloadsPartlyWanted(kind: ContextKind) async throws {
    let (place, deaths, publisher) = (makePlace(kind), Deaths(), keep(Publisher<Token>()))
    let gates = (0..<3).map { _ in makeGate() }
    let (all, first) = (Event(), Event())
    // Held in the first and in the second of six payloads.
    publisher.subscribe(all, on: place.context) { all, _ in
      all.happen()
      if (2...3).contains(all.count) { gates[all.count - 2].pass() }
    }
    // Gets the last four of six; held in the first of them.
    publisher.subscribe(first, on: place.context, buffering: .newest(4)) { first, _ in
      first.happen()
      if first.count == 2 { gates[2].pass() }
    }
    await publisher.drain()
    // A publishing thread holds its payload until the call returns.
    if kind == .immediate {
      OwnThread.start { publisher.updateData(deaths.makeToken()) }
    } else {
      publisher.updateData(deaths.makeToken())
    }
    try await gates[0].waitUntilHeld()
    for _ in 2...6 { publisher.updateData(deaths.makeToken()) }
    gates[0].open()
    try await gates[1].waitUntilHeld()
    #expect(try await OwnThread.result { publisher.unsubscribe(all) } == .inFlight)
    gates[1].open()
    try await gates[2].waitUntilHeld()
    for _ in 7...9 { publisher.updateData(deaths.makeToken()) }
    // The fourth and fifth are skipped at once. The publishing thread may still hold the first.
    #expect(deaths.count == (kind == .immediate ? 3 : 4))
    gates[2].open()
    await publisher.drain()
    #expect(first.count == 6)
  }

  @Test("when the largest bounds have left, only the payloads of the others stay", arguments: [[5, 9], [9, 5]])
  func required_3_05_largestBoundsLeft(order: [Int]) async {
    let (place, deaths, publisher) = (makePlace(.queue), Deaths(), keep(Publisher<Token>()))
    publisher.subscribe(makeListener(), on: place.context, buffering: .latest) { _, _ in }
    let subscriptions = [5, 9].reduce(into: [Int: Subscription]()) { found, limit in
      found[limit] = publisher.subscribe(makeListener(), on: place.context, buffering: .newest(limit)) { _, _ in }
    }
    await publisher.drain()
    place.stop()
    for limit in order { subscriptions[limit]?.cancel() }
    for _ in 1...20 { publisher.updateData(deaths.makeToken()) }
    #expect(deaths.count == 19)
    place.resume()
    await publisher.drain()
  }
}
