import SubPub
import SubPubTesting
import Testing

// Rule 6.03: the end of the publisher, which no sequence keeps alive (3.06).
extension Section6SequenceTests {
  @Test("the pending states come after the end, and then nil", arguments: BufferingPolicy.oneOfEach, [true, false])
  func required_6_03_3_06_pending(policy: BufferingPolicy, isServed: Bool) {
    weak var probe: Publisher<Int>?
    let consumer: Consumer<Int>
    do {
      let brief = Publisher<Int>()
      probe = brief
      consumer = Consumer(brief.states(buffering: policy)).run()
      for number in 1...5 {
        brief.updateData(number)
        if isServed { #expect(!consumer.run().isOver) }
      }
    }
    #expect(probe == nil)
    #expect(!consumer.isOver)
    #expect(consumer.run().isOver)
    #expect(consumer.states == [.unknown] + Self.states(isServed ? Array(1...5) : policy.rest(of: Array(1...5))))
    #expect(consumer.statistics?.lastVersion == 5)
  }

  @Test(
    "an iterator made after the end gives the last state, or its value if it is loaded, and then nil",
    arguments: BufferingPolicy.oneOfEach, [.unknown, .loading, .loaded] as [LoadPhase])
  func required_6_03_3_06_afterTheEnd(policy: BufferingPolicy, phase: LoadPhase) async {
    weak var probe: Publisher<Int>?
    let (states, values, last): (StateSequence<Int>, ValueSequence<Int>, Publication<Int>)
    do {
      let brief = Publisher<Int>()
      probe = brief
      (states, values) = (brief.states(buffering: policy), brief.values(buffering: policy))
      if phase != .unknown { for number in 1...5 { brief.updateData(number) } }
      if phase == .loading { brief.startLoading() }
      last = brief.current
    }
    #expect(probe == nil)
    #expect(last.state.phase == phase)
    for _ in 1...2 {
      var iterator = states.makeAsyncIterator()
      #expect(await iterator.next() == last.state)
      #expect(await iterator.next() == nil)
      #expect(await iterator.next() == nil)
      #expect(iterator.statistics.lastVersion == last.version)
      var loaded = values.makeAsyncIterator()
      if phase == .loaded { #expect(await loaded.next() == 5) }
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
}
