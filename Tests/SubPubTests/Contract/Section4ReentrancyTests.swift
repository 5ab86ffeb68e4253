import SubPub
import SubPubTesting
import Testing

@Suite("Section 4: reentrancy", .serialized, .timeLimit(.minutes(5)))
struct Section4ReentrancyTests {
  let publisher = Publisher<Int>()
  let log = Recorder<String>()

  var entries: [String] { log.states.compactMap(\.value) }

  @Test(
    "4.01: a publish inside a callback comes to everyone in the lane after the current state, and nests nothing",
    arguments: ContextKind.shared, Operation.allCases)
  func required_4_01_sharedLane(kind: ContextKind, operation: Operation) async throws {
    let place = Place(kind)
    defer { withExtendedLifetime(place) {} }
    let depth = Depth()
    let members = (0..<3).map { index in
      LoggingSubscriber("\(index)", log: log) { [publisher] version in
        depth.enter()
        // The first, the one in the middle, and the last: each once.
        if version == index + 1 {
          operation.perform(at: publisher)
          #expect(publisher.current.version == version + 1)
        }
        depth.leave()
      }
    }
    defer { withExtendedLifetime(members) {} }
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

  @Test("4.01: on a lane of its own too it is a later delivery, and no nested one", arguments: ContextKind.allCases)
  func required_4_01_ownLane(kind: ContextKind) async throws {
    let place = Place(kind)
    defer { withExtendedLifetime(place) {} }
    let member = LoggingSubscriber("a", log: log) { [publisher] version in
      for _ in 0..<2 where version < 6 { publisher.startLoading() }
    }
    publisher.subscribe(member, on: place.context)
    // Each of the versions 0 to 5 makes two.
    try await log.wait(count: 13)
    await publisher.drain()
    #expect(entries == (0...12).map { "a@\($0)" })
    #expect(member.depth.deepest == 1)
  }

  @Test("4.01: between two publishers no callback comes to run inside itself", arguments: ContextKind.allCases)
  func required_4_01_acrossPublishers(kind: ContextKind) async throws {
    let place = Place(kind)
    defer { withExtendedLifetime(place) {} }
    let other = Publisher<Int>()
    let ping = LoggingSubscriber("ping", log: log) { version in if version < 20 { other.startLoading() } }
    let pong = LoggingSubscriber("pong", log: log) { [publisher] version in if version > 0 { publisher.startLoading() }
    }
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

  @Test("4.01: explicit publishers and delegates keep it", arguments: ContextKind.shared)
  func required_4_01_faces(kind: ContextKind) async throws {
    let place = Place(kind)
    defer { withExtendedLifetime(place) {} }
    let (explicit, group) = (
      ExplicitPublisher<Int, Log>(publisher) { $0.write($1.value ?? 0) }, MulticastDelegate<Log>()
    )
    let logs = (0..<2).map { index in
      Log(log) { number in
        if number == 1, index == 0 { explicit.publisher.updateData(2) }
        if number == 11, index == 0 { group.call { $0.write(12) } }
      }
    }
    defer { withExtendedLifetime(logs) {} }
    for log in logs { explicit.subscribe(log, on: place.context) }
    await publisher.drain()
    publisher.updateData(1)
    try await log.wait(count: 6)
    for log in logs { group.add(log, on: place.context) }
    group.call { $0.write(11) }
    try await log.wait(count: 10)
    #expect(entries == ["0", "0", "1", "1", "2", "2", "11", "11", "12", "12"])
  }

  /// Writes numbers into the log, and then reacts.
  final class Log: Sendable {
    private let log: Recorder<String>
    private let react: @Sendable (Int) -> Void

    init(_ log: Recorder<String>, react: @escaping @Sendable (Int) -> Void) {
      self.log = log
      self.react = react
    }

    func write(_ number: Int) {
      log.receive(.loaded("\(number)"))
      react(number)
    }
  }
}
