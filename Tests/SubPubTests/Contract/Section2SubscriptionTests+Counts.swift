import SubPub
import SubPubTesting
import Testing

// Rule 2.05: the number of subscriptions, as a sequence. `ExplorationTests` and `ScheduleTests` follow it while threads
// come and go.
extension Section2SubscriptionTests {
  @Test("the present number comes first, and then one whenever a subscription begins or ends")
  func required_2_05_counts() async {
    let first = Recorder<Int>()
    publisher.subscribe(first, on: .immediate)
    let sequence = publisher.subscriberCounts
    #expect(sequence.description == "subscriberCounts of \(publisher.id), latest")
    #expect(sequence.source == publisher.id)
    var counts = sequence.makeAsyncIterator()
    #expect(await counts.next() == 1)
    var second: Recorder<Int>? = Recorder()
    if let second { publisher.subscribe(second, on: .immediate) }
    #expect(await counts.next() == 2)
    var states: StateSequence<Int>.Iterator? = publisher.states().makeAsyncIterator()
    #expect(states != nil)
    #expect(await counts.next() == 3)
    states = nil
    #expect(await counts.next() == 2)
    var derived: ReadOnlyPublisher<Int>? = publisher.map { $0 }
    #expect(derived != nil)
    #expect(await counts.next() == 3)
    derived = nil
    #expect(await counts.next() == 2)
    // It died unnoticed, and the next state finds that out.
    second = nil
    #expect(counts.statistics.pending == 0)
    publisher.updateData(1)
    #expect(await counts.next() == 1)
    publisher.unsubscribe(first)
    #expect(await counts.next() == 0)
    #expect(publisher.subscriberCount == 0, "this sequence doesn't count")
  }

  @Test("a slow consumer gets the newest number, and none twice")
  func required_2_05_newestCount() async {
    publisher.subscribe(Recorder<Int>(), on: .immediate)
    // The dead one is found.
    var counts = publisher.subscriberCounts.makeAsyncIterator()
    #expect(await counts.next() == 0)
    let recorders = (1...9).map { _ in Recorder<Int>() }
    for recorder in recorders { publisher.subscribe(recorder, on: .immediate) }
    #expect(await counts.next() == 9)
    publisher.unsubscribe(recorders[0])
    publisher.updateData(1)
    #expect(await counts.next() == 8)
    #expect(counts.statistics.pending == 0)
    withExtendedLifetime(recorders) {}
  }

  @Test("the last number is 0, whether the publisher finishes or is released, which no sequence and no iterator delays")
  func required_2_05_3_06_3_09_lastCount() async throws {
    var publisher: Publisher<Int>? = Publisher()
    weak let probe = publisher
    let sequence = try #require(publisher).subscriberCounts
    publisher?.subscribe(recorder, on: .background)
    var (finished, released) = (sequence.makeAsyncIterator(), sequence.makeAsyncIterator())
    #expect(await finished.next() == 1)
    publisher?.finish()
    #expect(await finished.next() == 0)
    #expect(await finished.next() == nil)
    #expect(finished.end == .publisherEnded)
    publisher = nil
    #expect(probe == nil)
    var late = sequence.makeAsyncIterator()
    for _ in 0..<2 {
      #expect(await released.next() == 0)
      #expect(await released.next() == nil)
      swap(&released, &late)
    }
  }
}
