import SubPub
import SubPubTesting
import Testing

@Suite("Section 4: callbacks can publish, subscribe and cancel", .serialized, .timeLimit(.minutes(5)))
struct Section4ReentrancyTests: ContractSuite {
  let lifetime = TestLifetime()
  let publisher = Publisher<Int>()
  let log = Recorder<String>()

  var entries: [String] { log.states.compactMap(\.value) }

  /// A member that writes into the log, and lives until the test ends.
  func makeSubscriber(_ name: String, react: @escaping @Sendable (UInt64) -> Void = { _ in }) -> LoggingSubscriber {
    keep(LoggingSubscriber(name, log: log, react: react))
  }

  @Test("a publish in a callback comes after the current state", arguments: ContextKind.shared, Operation.allCases)
  func required_4_01_sharedLane(kind: ContextKind, operation: Operation) async throws {
    let place = makePlace(kind)
    let depth = NestingDepth()
    let members = (0..<3).map { index in
      makeSubscriber("\(index)") { [publisher] version in
        depth.enter()
        // Each member publishes once: the first, the one in the middle, and the last.
        if version == index + 1 {
          operation.perform(at: publisher)
          #expect(publisher.current.version == version + 1)
        }
        depth.leave()
      }
    }
    for member in members { publisher.subscribe(member, on: place.context) }
    await publisher.drain()
    publisher.updateData(1)
    try await log.wait(count: 15)
    let expected = (0...4).flatMap { version in (0..<3).map { "\($0)@\(version)" } }
    #expect(entries.suffix(12) == expected.suffix(12))
    #expect(depth.deepest == 1)
    await publisher.drain()
    #expect(log.states.count == 15)
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

  @Test("explicit publishers and delegates deliver publishes in callbacks later", arguments: ContextKind.shared)
  func required_4_01_interfaces(kind: ContextKind) async throws {
    let place = makePlace(kind)
    let explicit = ExplicitPublisher<Int, LoggingSubscriber>(publisher) { $0.note($1.value ?? 0) }
    let group = MulticastDelegate<LoggingSubscriber>()
    let first = makeSubscriber("first") { number in
      if number == 1 { explicit.publisher.updateData(2) }
      if number == 11 { group.call { $0.note(12) } }
    }
    let members = [first, makeSubscriber("next")]
    for member in members { explicit.subscribe(member, on: place.context) }
    await publisher.drain()
    publisher.updateData(1)
    try await log.wait(count: 6)
    for member in members { group.add(member, on: place.context) }
    group.call { $0.note(11) }
    try await log.wait(count: 10)
    #expect(entries == [0, 1, 2, 11, 12].flatMap { ["first@\($0)", "next@\($0)"] })
  }
}

/// One of several subscribers that write into one log, and may react to what they receive.
final class LoggingSubscriber: TypedSubscriber {
  let depth = NestingDepth()
  private let name: String
  private let log: Recorder<String>
  private let react: @Sendable (_ number: UInt64) -> Void

  init(_ name: String, log: Recorder<String>, react: @escaping @Sendable (UInt64) -> Void = { _ in }) {
    (self.name, self.log, self.react) = (name, log, react)
  }

  func receive(_ publication: Publication<Int>) { note(Int(publication.version)) }

  /// Logs `name@number`, then reacts.
  func note(_ number: Int) {
    depth.enter()
    defer { depth.leave() }
    log.receive(.loaded("\(name)@\(number)"))
    react(UInt64(number))
  }
}
