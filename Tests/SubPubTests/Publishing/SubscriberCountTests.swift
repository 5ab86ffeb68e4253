import SubPub
import SubPubTesting
import Testing

extension PublishingTests {
  @Suite("The number of subscriptions, as a sequence")
  struct SubscriberCountTests {
    let publisher = Publisher<Int>(label: "counted")

    @Test("the present number comes first, and then one whenever a subscription begins or ends")
    func counts() async {
      let first = Recorder<Int>()
      publisher.subscribe(first, on: .immediate)
      let sequence = publisher.subscriberCounts
      #expect(sequence.description == "subscriberCounts of counted, latest")
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
    func newest() async {
      var counts = publisher.subscriberCounts.makeAsyncIterator()
      let recorders = (1...9).map { _ in Recorder<Int>() }
      for recorder in recorders { publisher.subscribe(recorder, on: .immediate) }
      #expect(await counts.next() == 9)
      publisher.unsubscribe(recorders[0])
      publisher.updateData(1)
      #expect(await counts.next() == 8)
      #expect(counts.statistics.pending == 0)
      withExtendedLifetime(recorders) {}
    }

    @Test("getting the sequence finds subscribers that have died")
    func dead() async {
      do {
        let recorder = Recorder<Int>()
        publisher.subscribe(recorder, on: .immediate)
      }
      var counts = publisher.subscriberCounts.makeAsyncIterator()
      #expect(await counts.next() == 0)
    }

    @Test("when the publisher ends, the last number is 0", arguments: [false, true])
    func end(isListenedTo: Bool) async {
      let (recorder, executor) = (Recorder<Int>(), ManualExecutor())
      var brief: Publisher<Int>? = Publisher<Int>()
      if isListenedTo { brief?.subscribe(recorder, on: .executor(executor)) }
      guard var finished = brief?.subscriberCounts.makeAsyncIterator(), let sequence = brief?.subscriberCounts else {
        Issue.record("there is no publisher")
        return
      }
      #expect(await finished.next() == (isListenedTo ? 1 : 0))
      brief?.finish()
      if isListenedTo { #expect(await finished.next() == 0) }
      #expect(await finished.next() == nil)
      #expect(finished.end == .publisherEnded)
      var late = brief?.subscriberCounts.makeAsyncIterator()
      #expect(await late?.next() == 0)
      #expect(await late?.next() == nil)
      brief = nil
      var released = sequence.makeAsyncIterator()
      #expect(await released.next() == 0)
      #expect(await released.next() == nil)
      executor.runAll()
    }

    @Test("neither the sequence nor its iterators keep the publisher")
    func lifetime() async {
      weak var probe: Publisher<Int>?
      var counts: ValueSequence<Int>.Iterator
      do {
        let brief = Publisher<Int>()
        probe = brief
        counts = brief.subscriberCounts.makeAsyncIterator()
      }
      #expect(probe == nil)
      #expect(await counts.next() == 0)
      #expect(await counts.next() == nil)
    }

    @Test("the last number is right however many threads come and go")
    func races() async throws {
      for _ in 0..<20 {
        let counts = publisher.subscriberCounts
        let consumer = Task { @concurrent in
          var (last, previous) = (0, -1)
          for await count in counts {
            #expect(count != previous)
            (previous, last) = (count, count)
            if count == 1_000 { break }
          }
          return last
        }
        let stay = Recorder<Int>()
        try await Race.run(threads: 4) { [publisher] _ in
          for _ in 0..<50 {
            let recorder = Recorder<Int>()
            publisher.subscribe(recorder, on: .immediate)
            publisher.unsubscribe(recorder)
          }
          publisher.subscribe(stay, on: .immediate, ifDuplicate: .allow)
        }
        var now = counts.makeAsyncIterator()
        #expect(await now.next() == 4)
        publisher.unsubscribe(stay)
        #expect(await now.next() == 0)
        consumer.cancel()
        _ = await consumer.value
      }
    }
  }
}
