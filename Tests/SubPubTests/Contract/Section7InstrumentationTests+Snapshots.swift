import Dispatch
import SubPub
import SubPubTesting
import Testing

// Rule 7.04: snapshots.
extension Section7InstrumentationTests {
  @Test("a snapshot shows the state, its data, and every subscription")
  func required_7_04_snapshot() throws {
    let clock = ManualClock()
    let publisher = Publisher<Int>(label: "news", staleAfter: .seconds(60), clock: clock)
    let place = ManualPlace(.executor)
    publisher.subscribe(recorder, on: place.context, buffering: .newest(2), label: "screen")
    publisher.updateData(1)
    place.serve()
    for number in 2...4 { publisher.updateData(number) }
    publisher.setError(Failure.offline)
    clock.advance(by: .seconds(90))
    let snapshot = publisher.snapshot()
    #expect((snapshot.label, snapshot.version, snapshot.phase, snapshot.origin) == ("news", 5, .error, .published))
    #expect((snapshot.age, snapshot.isStale, snapshot.error) == (.seconds(90), true, "\(Failure.offline)"))
    #expect((snapshot.isLoading, snapshot.attempt, snapshot.lastFailure) == (false, 0, nil))
    let subscription = try #require(snapshot.subscriptions.first)
    #expect((subscription.label, subscription.subscriberType) == ("screen", "Recorder<Int>"))
    #expect((subscription.context, subscription.buffering) == ("executor(ManualExecutor)", "newest(2)"))
    #expect((subscription.delivered, subscription.skipped, subscription.pending) == (2, 2, 2))
    #expect((subscription.highWater, subscription.lastVersion) == (2, 1))
    #expect(
      snapshot.description == """
        news  error 5  published, 90.0 seconds old, stale  error: offline
          screen  executor(ManualExecutor)  newest(2)  2 delivered  2 skipped  2 pending (at most 2), last version 1
        """)
    place.serve()
    let mapped = publisher.map(label: "mapped") { $0 }.snapshot()
    #expect((mapped.label, mapped.age, mapped.isStale) == ("mapped", .seconds(90), true))
  }

  @Test("a directory's snapshots have a table")
  func required_7_04_table() throws {
    let directory = PublisherDirectory()
    directory.publisher(of: Int.self).updateData(1)
    let other = Publisher<String>(label: "other")
    directory.register(other)
    let family = ManagerFamily<Int, LoadingManager<Int>> { key in LoadingManager(label: "key \(key)") { key } }
    directory.register(family)
    let member = family[1]
    let listener = makeListener()
    other.subscribe(listener, on: .immediate, label: "log") { _, _ in }
    let snapshots = directory.snapshot()
    #expect(snapshots.map(\.label) == ["Int", "other", "key 1"])
    #expect(
      snapshots.table == """
        publisher  state      data
        Int        loaded 1   published
        other      unknown 0
          log      immediate  unbounded  1 delivered  0 skipped  0 pending (at most 1), last version 0
        key 1      unknown 0
        """)
    withExtendedLifetime(member) {}
  }

  @Test(
    "no label and no error breaks a line of a description or a table",
    arguments: ["\n", "\r\n", "\r", "\u{B}", "\u{85}", "\u{2028}", "\u{2029}", "\u{1B}[2J", "\u{202E}", "\u{7F}"])
  func required_7_04_oneLineEach(_ end: String) throws {
    let publisher = Publisher<String>(label: "news\(end)other  loaded 9")
    let queue = DispatchQueue(label: "queue\(end)")
    let listener = makeListener()
    let subscription = publisher.subscribe(listener, on: .queue(queue), label: "log\(end)") { _, _ in }
    publisher.setError(Broken(description: "off\(end)line"))
    let snapshot = publisher.snapshot()
    #expect(snapshot.label == "news\(end)other  loaded 9" && snapshot.error == "off\(end)line", "as they are")
    #expect(snapshot.subscriptions.first?.label == "log\(end)")
    let shown = end.unicodeScalars.map { $0.escaped(asASCII: true) }.joined()
    #expect(snapshot.description.hasPrefix("news\(shown)other  loaded 9  error 1"))
    #expect(snapshot.description.contains("  log\(shown)  queue(queue\(shown))  unbounded"))
    #expect(snapshot.description.contains("error: off\(shown)line"))
    #expect(Self.lineCount(of: [snapshot, snapshot].table) == 5)
    #expect(Self.lineCount(of: snapshot.description) == 2)
    let single: [any Sendable] = [
      try #require(snapshot.subscriptions.first), publisher.id, publisher, publisher.current, publisher.state,
      subscription,
      LoadState<String>.loaded("a\(end)b"), DrainTimedOut(limit: .zero, subscriptions: [subscription, subscription]),
      PublisherEnded(source: publisher.id), CacheFailure(operation: .read, reason: Broken(description: end)),
      KeyMissing(key: end), QueueExecutor(label: end), Recorder<Int>(label: end), publisher.states(),
      MulticastDelegate<Recorder<Int>>(label: end),
    ]
    for each in single { #expect(Self.lineCount(of: "\(each)") == 1, "\("\(each)".debugDescription)") }
    subscription.cancel()
  }

  private struct Broken: Error, CustomStringConvertible {
    let description: String
  }

  /// Returns the number of lines, or 0 if there is anything that a terminal or another reader would take for an end.
  private static func lineCount(of text: String) -> Int {
    let controls = text.unicodeScalars.filter {
      [.control, .lineSeparator, .paragraphSeparator].contains($0.properties.generalCategory) || $0 == "\u{202E}"
    }
    return controls.allSatisfy { $0 == "\n" } ? controls.count + 1 : 0
  }
}
