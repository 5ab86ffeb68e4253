import SubPub
import SubPubTesting
import Testing

// Rule 6.02.
extension Section6SequenceTests {
  enum Leaving: String, CaseIterable, Codable, Sendable { case leave, fail, release, releaseCopies }

  @Test("break, throw and release unregister at once and free the buffer", arguments: Leaving.allCases)
  func required_6_02_leaving(leaving: Leaving) async throws {
    let (publisher, deaths) = (Publisher<Token>(), Deaths())
    let sequence = publisher.states()
    func fill() {
      for _ in 1...5 { publisher.updateData(deaths.makeToken()) }
      #expect(deaths.count == 0)
      #expect(publisher.subscriberCount == 1)
    }
    switch leaving {
    case .leave:
      for await _ in sequence {
        fill()
        break
      }
    case .fail:
      await #expect(throws: Failure.offline) {
        for await _ in sequence {
          fill()
          throw Failure.offline
        }
      }
    case .release:
      do {
        let iterator = sequence.makeAsyncIterator()
        fill()
        withExtendedLifetime(iterator) {}
      }
    case .releaseCopies:
      var iterator: StateSequence<Token>.Iterator? = sequence.makeAsyncIterator()
      var copy = iterator
      fill()
      iterator = nil
      #expect(publisher.subscriberCount == 1)
      #expect(await copy?.next() != nil)
      copy = nil
    }
    // All but the current one. This comes before the count, which would remove a dead subscription.
    #expect(deaths.count == 4)
    publisher.updateData(deaths.makeToken())
    #expect(deaths.count == 5)
    #expect(publisher.subscriberCount == 0)
  }

  @Test("loops over values, and value(), unregister at once as well")
  func required_6_02_leavingValues() async throws {
    let (publisher, deaths) = (Publisher<Token>(), Deaths())
    publisher.updateData(deaths.makeToken())
    for await _ in publisher.values() {
      publisher.updateData(deaths.makeToken())
      publisher.updateData(deaths.makeToken())
      break
    }
    #expect(deaths.count == 2)
    _ = try await publisher.value()
    publisher.reset()
    #expect(deaths.count == 3)
    #expect(publisher.subscriberCount == 0)
  }

  @Test("a cancellation ends a waiting next() at once and unregisters", arguments: BufferingPolicy.oneOfEach)
  func required_6_02_cancelledWaiting(policy: BufferingPolicy) {
    let consumer = Consumer(publisher.states(buffering: policy)).run()
    publisher.updateData(1)
    #expect(!consumer.run().isOver)
    #expect(publisher.subscriberCount == 1)
    consumer.cancel()
    // Even before the task runs again.
    #expect(publisher.subscriberCount == 0)
    publisher.updateData(2)
    #expect(consumer.run().isOver)
    #expect(consumer.states == [.unknown, .loaded(1)])
    #expect(consumer.statistics?.delivered == 2)
  }

  @Test("a cancellation outside of next() ends the following one", arguments: BufferingPolicy.oneOfEach)
  func required_6_02_cancelledBetween(policy: BufferingPolicy) {
    let (publisher, deaths) = (Publisher<Token>(), Deaths())
    let trial = Trial {
      var iterator = publisher.states(buffering: policy).makeAsyncIterator()
      let first = await iterator.next() != nil
      for _ in 1...5 { publisher.updateData(deaths.makeToken()) }
      unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
      let before = (publisher.subscriberCount, iterator.statistics.pending, deaths.count)
      let isOver = await iterator.next() == nil
      let after = (publisher.subscriberCount, iterator.statistics.pending, deaths.count)
      let staysOver = await iterator.next() == nil
      return (first && isOver && staysOver, before, after)
    }
    let result = trial.run().value
    let pending = policy.rest(of: Array(1...5)).count
    #expect(result?.0 == true)
    #expect(result?.1 ?? (0, 0, 0) == (1, pending, 5 - pending))
    #expect(result?.2 ?? (0, 0, 0) == (0, 0, 4))
  }

  @Test("a task cancelled before it starts gets nil and leaves nothing behind")
  func required_6_02_cancelledBefore() {
    publisher.updateData(1)
    let consumer = Consumer(publisher.states())
    consumer.cancel()
    #expect(consumer.run().isOver)
    #expect(consumer.states == [])
    #expect(publisher.subscriberCount == 0)
  }

  @Test("an emptied buffer holds no payload", arguments: BufferingPolicy.oneOfEach)
  func required_6_02_3_05_bursts(policy: BufferingPolicy) async {
    let (publisher, deaths) = (Publisher<Token>(), Deaths())
    var iterator = publisher.states(buffering: policy).makeAsyncIterator()
    for burst in 1...3 {
      for _ in 1...300 { publisher.updateData(deaths.makeToken()) }
      publisher.reset()
      while iterator.statistics.pending > 0 { _ = await iterator.next() }
      #expect(deaths.count == 300 * burst)
    }
  }
}
