import SubPub
import SubPubTesting
import Testing

// Rule 6.03: the end of the publisher, which no sequence keeps alive (3.06).
extension Section6SequenceTests {
  @Test("the pending states come after the end, and then nil", arguments: BufferingPolicy.oneOfEach)
  func required_6_03_3_06_pending(policy: BufferingPolicy) {
    let consumer = consumerOfReleasedPublisher(policy) { publisher, _ in
      for number in 1...5 { publisher.updateData(number) }
    }
    #expect(!consumer.isOver)
    #expect(consumer.run().isOver)
    #expect(consumer.states == [.unknown] + Self.states(policy.rest(of: Array(1...5))))
    #expect(consumer.statistics?.lastVersion == 5)
  }

  @Test("a waiting next() gets nil at the end", arguments: BufferingPolicy.oneOfEach)
  func required_6_03_waiting(policy: BufferingPolicy) {
    let consumer = consumerOfReleasedPublisher(policy) { publisher, consumer in
      publisher.updateData(1)
      #expect(!consumer.run().isOver)
    }
    #expect(consumer.run().isOver)
    #expect(consumer.states == [.unknown, .loaded(1)])
  }

  /// A consumer that waits when the body is called with it, and whose publisher dies when the body returns.
  private func consumerOfReleasedPublisher(
    _ policy: BufferingPolicy, _ body: (Publisher<Int>, Consumer<Int>) -> Void
  ) -> Consumer<Int> {
    weak var probe: Publisher<Int>?
    let consumer: Consumer<Int>
    do {
      let brief = Publisher<Int>()
      probe = brief
      consumer = Consumer(brief.states(buffering: policy)).run()
      body(brief, consumer)
    }
    #expect(probe == nil)
    return consumer
  }

  @Test("an iterator made after the end gives the last state, and then nil", arguments: BufferingPolicy.oneOfEach)
  func required_6_03_3_06_afterTheEnd(policy: BufferingPolicy) async {
    weak var probe: Publisher<Int>?
    let (states, values): (StateSequence<Int>, ValueSequence<Int>)
    do {
      let brief = Publisher<Int>()
      probe = brief
      (states, values) = (brief.states(buffering: policy), brief.values(buffering: policy))
      for number in 1...5 { brief.updateData(number) }
    }
    #expect(probe == nil)
    for _ in 1...2 {
      var iterator = states.makeAsyncIterator()
      #expect(await iterator.next() == .loaded(5))
      #expect(await iterator.next() == nil)
      #expect(await iterator.next() == nil)
      #expect(iterator.statistics.lastVersion == 5)
      var loaded = values.makeAsyncIterator()
      #expect(await loaded.next() == 5)
      #expect(await loaded.next() == nil)
    }
  }

  @Test("an iterator made after the end gives the last state in any phase, and its value only if it is loaded")
  func required_6_03_unknown() async {
    for publishes in [true, false] {
      let (states, values): (StateSequence<Int>, ValueSequence<Int>)
      do {
        let brief = Publisher<Int>()
        (states, values) = (brief.states(), brief.values())
        if publishes {
          brief.updateData(1)
          brief.startLoading()
        }
      }
      var iterator = states.makeAsyncIterator()
      #expect(await iterator.next() == (publishes ? .loading(previous: 1) : .unknown))
      #expect(await iterator.next() == nil)
      var loaded = values.makeAsyncIterator()
      #expect(await loaded.next() == nil)
    }
  }

  @Test("the last state lives exactly as long as a sequence can ask for it")
  func required_6_03_3_05_lastPayload() async {
    let deaths = Deaths()
    var states: StateSequence<Token>?
    do {
      let brief = Publisher<Token>()
      states = brief.states()
      brief.updateData(deaths.makeToken())
      brief.updateData(deaths.makeToken())
      #expect(deaths.count == 1)
    }
    #expect(deaths.count == 1)
    do {
      var iterator = states?.makeAsyncIterator()
      #expect(await iterator?.next()?.value != nil)
      states = nil
    }
    #expect(deaths.count == 2)
  }

  @Test("an unused iterator keeps its payloads after the end, and releases them when it dies")
  func required_6_03_unusedIterator() {
    let deaths = Deaths()
    do {
      let iterator: StateSequence<Token>.Iterator
      do {
        let brief = Publisher<Token>()
        iterator = brief.states().makeAsyncIterator()
        for _ in 1...3 { brief.updateData(deaths.makeToken()) }
      }
      #expect(deaths.count == 0)
      #expect(iterator.statistics.pending == 4)
    }
    #expect(deaths.count == 3)
  }

  @Test("loops on all threads end with the last state", arguments: BufferingPolicy.oneOfEach)
  func stochastic_6_03_loops(policy: BufferingPolicy) async throws {
    for _ in 0..<30 {
      let holder = Locked<Publisher<Int>?>(Publisher())
      let ends = try (0..<3).map { _ in
        let states = try #require(holder.withLock { $0 }).states(buffering: policy)
        let end = Recorder<LoadState<Int>?>()
        Task {
          var last: LoadState<Int>?
          for await state in states { last = state }
          end.receive(.loaded(last))
        }
        return end
      }
      OwnThread.start {
        let publisher = holder.withLock { $0.take() }
        for number in 1...100 { publisher?.updateData(number) }
      }
      for end in ends {
        try await end.wait(count: 1)
        #expect(end.states.first?.value == .loaded(100))
      }
    }
  }
}
