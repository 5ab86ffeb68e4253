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
}
