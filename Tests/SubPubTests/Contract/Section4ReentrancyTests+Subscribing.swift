import SubPub
import SubPubTesting
import Testing

// Rules 4.02 and 4.03.
extension Section4ReentrancyTests {
  @Test("a subscription made in a callback is kept and replays once", arguments: ContextKind.allCases, [true, false])
  func required_4_02_kept(kind: ContextKind, publishesBefore: Bool) async throws {
    let place = makePlace(kind)
    let newcomer = makeSubscriber("new")
    let first = makeSubscriber("first") { [publisher, log] version in
      guard version == 1 else { return }
      if publishesBefore { publisher.updateData(2) }
      publisher.subscribe(newcomer, on: place.context)
      publisher.updateData(3)
      log.receive(.loaded("first has returned"))
    }
    let next = makeSubscriber("next")
    publisher.subscribe(first, on: place.context)
    publisher.subscribe(next, on: place.context)
    await publisher.drain()
    publisher.updateData(1)
    let last: UInt64 = publishesBefore ? 3 : 2
    try await log.wait(count: publishesBefore ? 11 : 9)
    await publisher.drain()
    #expect(publisher.subscriberCount == 3)
    for name in ["first", "next"] {
      #expect(entries.filter { $0.hasPrefix("\(name)@") } == (0...last).map { "\(name)@\($0)" })
    }
    #expect(entries.filter { $0.hasPrefix("new@") } == (last - 1...last).map { "new@\($0)" })
    // Where the replay runs on the thread of the callback, it runs after the callback.
    if ContextKind.serial.contains(kind) || kind == .immediate {
      let returned = try #require(entries.firstIndex(of: "first has returned"))
      #expect(!entries[..<returned].contains { $0.hasPrefix("new@") })
    }
  }

  @Test("a subscription made in a callback or a replay is kept on another context", arguments: ContextKind.allCases)
  func required_4_02_elsewhere(kind: ContextKind) async throws {
    let place = makePlace(kind)
    let newcomers = [makeSubscriber("new"), makeSubscriber("late")]
    let first = makeSubscriber("first") { [publisher] version in
      publisher.subscribe(newcomers[Int(version)], on: version == 0 ? place.context : .immediate)
    }
    publisher.subscribe(first, on: .immediate)
    publisher.updateData(1)
    await publisher.drain()
    #expect(entries.filter { $0.hasPrefix("first") } == ["first@0", "first@1"])
    #expect(entries.filter { $0.hasPrefix("new") } == ["new@0", "new@1"])
    #expect(entries.filter { $0.hasPrefix("late") } == ["late@1"])
  }

  @Test("a thousand can subscribe, each in the replay of the one before", arguments: ContextKind.allCases)
  func required_4_02_chain(kind: ContextKind) async throws {
    let place = makePlace(kind)
    let (members, depth, log) = (Locked<[LoggingSubscriber]>([]), NestingDepth(), log)
    @Sendable func subscribe(_ index: Int, at publisher: Publisher<Int>) {
      let member = LoggingSubscriber("\(index)", log: log) { version in
        depth.enter()
        if version == 0, index < 1_000 { subscribe(index + 1, at: publisher) }
        depth.leave()
      }
      members.withLock { $0.append(member) }
      publisher.subscribe(member, on: place.context)
    }
    subscribe(1, at: publisher)
    try await log.wait(count: 1_000)
    #expect(entries == (1...1_000).map { "\($0)@0" })
    if kind == .immediate { #expect(depth.deepest == 1) }
    publisher.updateData(1)
    await publisher.drain()
    #expect(log.states.count == 2_000)
    #expect(Set(entries.suffix(1_000)) == Set((1...1_000).map { "\($0)@1" }))
    members.withLock { $0 = [] }
  }

  /// How a callback ends another subscription.
  enum Ending: String, CaseIterable, Codable, Sendable { case cancel, unsubscribe, cancelInDeinit }

  @Test("a cancel in a callback holds in the same round", arguments: ContextKind.shared, Ending.allCases)
  func required_4_03_sameRound(kind: ContextKind, ending: Ending) async throws {
    let place = makePlace(kind)
    let (earlier, later, last) = (makeSubscriber("earlier"), makeSubscriber("later"), makeSubscriber("last"))
    let subscriptions = Locked<[Subscription]>([])
    let outcomes = Locked<[CancelOutcome]>([])
    let canceller = makeSubscriber("canceller") { [publisher] version in
      guard version == 1 else { return }
      publisher.updateData(2)
      @Sendable func end() {
        let found: [CancelOutcome] =
          ending == .unsubscribe
          ? [earlier, later].map { publisher.unsubscribe($0) } : subscriptions.withLock { $0 }.map { $0.cancel() }
        outcomes.withLock { $0 = found }
      }
      if ending == .cancelInDeinit { _ = DeinitAction(end) } else { end() }
    }
    let joined = [earlier, canceller, later, last].map { publisher.subscribe($0, on: place.context) }
    subscriptions.withLock { $0 = [joined[0], joined[2]] }
    await publisher.drain()
    let before = entries.count
    publisher.updateData(1)
    try await log.wait(count: before + 5)
    await publisher.drain()
    #expect(entries.dropFirst(before) == ["earlier@1", "canceller@1", "last@1", "canceller@2", "last@2"])
    #expect(outcomes.withLock { $0 } == [.quiescent, .quiescent])
    #expect(joined[0].statistics.delivered == 2)
    #expect(joined[2].statistics.delivered == 1)
    #expect(publisher.subscriberCount == 2)
    subscriptions.withLock { $0 = [] }
  }

  @Test("a cancel in a callback of an explicit publisher or a delegate is exact", arguments: ContextKind.shared)
  func required_4_03_interfaces(kind: ContextKind) async throws {
    let place = makePlace(kind)
    let explicit = ExplicitPublisher<Int, LoggingSubscriber>(publisher) { $0.note($1.value ?? 0) }
    let group = MulticastDelegate<LoggingSubscriber>()
    let victim = makeSubscriber("victim")
    let canceller = makeSubscriber("canceller") { number in
      if number == 1 { #expect(explicit.unsubscribe(victim) == .quiescent) }
      if number == 11 { #expect(group.remove(victim) == .quiescent) }
    }
    for member in [canceller, victim] {
      explicit.subscribe(member, on: place.context)
      group.add(member, on: place.context)
    }
    await publisher.drain()
    publisher.updateData(1)
    await publisher.drain()
    group.call { $0.note(11) }
    await group.drain()
    #expect(entries == ["canceller@0", "victim@0", "canceller@1", "canceller@11"])
  }
}
