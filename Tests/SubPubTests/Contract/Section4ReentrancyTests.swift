import SubPub
import SubPubTesting
import Testing

@Suite("Section 4: callbacks can publish, subscribe and cancel", .serialized, .hangLimit)
struct Section4ReentrancyTests: ContractSuite {
  let lifetime = TestLifetime()
  let publisher = Publisher<Int>()
  let log = Recorder<String>()

  var entries: [String] { log.states.compactMap(\.value) }

  /// A member that writes into the log, and lives until the test ends.
  func makeSubscriber(_ name: String, react: @escaping @Sendable (UInt64) -> Void = { _ in }) -> LoggingSubscriber {
    keep(LoggingSubscriber(name, log: log, react: react))
  }

  @Test("a publish in a callback of a lone subscription comes later, too", arguments: ContextKind.allCases)
  func required_4_01_ownLane(kind: ContextKind) async throws {
    let member = makeSubscriber("a") { [publisher] version in
      for _ in 0..<2 where version < 6 { publisher.startLoading() }
    }
    publisher.subscribe(member, on: makePlace(kind).context)
    // Each of the versions 0 to 5 publishes two.
    try await log.wait(count: 13)
    await publisher.drain()
    #expect(entries == (0...12).map { "a@\($0)" })
    #expect(member.depth.deepest == 1)
  }

  @Test("no callback runs inside itself when two publishers publish to each other", arguments: ContextKind.allCases)
  func required_4_01_acrossPublishers(kind: ContextKind) async throws {
    let place = makePlace(kind)
    let other = Publisher<Int>()
    let ping = makeSubscriber("ping") { version in if version < 20 { other.startLoading() } }
    let pong = makeSubscriber("pong") { [publisher] version in if version > 0 { publisher.startLoading() } }
    other.subscribe(pong, on: place.context)
    publisher.subscribe(ping, on: place.context)
    try await log.wait(count: 42)
    await publisher.drain()
    await other.drain()
    #expect(ping.depth.deepest == 1)
    #expect(pong.depth.deepest == 1)
    #expect(entries.filter { $0.hasPrefix("ping") } == (0...20).map { "ping@\($0)" })
    #expect(entries.filter { $0.hasPrefix("pong") } == (0...20).map { "pong@\($0)" })
  }

  // MARK: 4.02 and 4.03

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
    if ContextKind.exclusive.contains(kind) || kind == .immediate {
      let returned = try #require(entries.firstIndex(of: "first has returned"))
      #expect(!entries[..<returned].contains { $0.hasPrefix("new@") })
    }
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
}

/// One of several subscribers that write into one log, and may react to what they receive.
final class LoggingSubscriber: TypedSubscriber {
  let depth = NestingDepth()
  private let name: String
  private let log: Recorder<String>
  private let react: @Sendable (_ version: UInt64) -> Void

  init(_ name: String, log: Recorder<String>, react: @escaping @Sendable (UInt64) -> Void = { _ in }) {
    (self.name, self.log, self.react) = (name, log, react)
  }

  /// Logs `name@version`, then reacts.
  func receive(_ publication: Publication<Int>) {
    depth.enter()
    defer { depth.leave() }
    log.receive(.loaded("\(name)@\(publication.version)"))
    react(publication.version)
  }
}
