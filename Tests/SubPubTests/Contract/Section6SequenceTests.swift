import SubPub
import SubPubTesting
import Testing

@Suite("Section 6: async sequences give every state, and end with the last", .serialized, .hangLimit)
struct Section6SequenceTests {
  typealias Token = Deaths.Token

  let publisher = Publisher<Int>()

  static func states(_ numbers: some Sequence<Int>) -> [LoadState<Int>] { numbers.map { .loaded($0) } }

  @Test("each consumer gets everything, whatever the others do")
  func required_6_01_independent() {
    let states = publisher.states()
    let (eager, slow, late) = (Consumer(states), Consumer(states), Consumer(states))
    let quitter = Consumer(publisher.states()) { [publisher] in publisher.current.version < 5 }
    eager.run()
    slow.run()
    quitter.run()
    for number in 1...10 {
      publisher.updateData(number)
      eager.run()
      quitter.run()
      if number == 7 { late.run() }
    }
    slow.run()
    late.run()
    #expect(eager.states == [.unknown] + Self.states(1...10))
    #expect(slow.states == eager.states)
    #expect(late.states == Self.states(7...10))
    #expect(quitter.isOver)
    #expect(quitter.states == [.unknown] + Self.states(1...5))
    #expect(publisher.subscriberCount == 3)
    for consumer in [eager, slow, late] { consumer.cancel() }
    for consumer in [eager, slow, late] { #expect(consumer.run().isOver) }
    #expect(publisher.subscriberCount == 0)
  }

  @Test("a publish in the loop is a later state, because a delivery ends when next() returns")
  func required_6_01_4_01_publishInLoop() async {
    var seen: [LoadState<Int>] = []
    for await state in publisher.states() {
      seen.append(state)
      let count = seen.count
      if count == 100 { break }
      publisher.updateData(count)
    }
    #expect(seen == [.unknown] + Self.states(1..<100))
    #expect(publisher.subscriberCount == 0)
  }

  // MARK: 6.04

  /// Takes the pending values of an iterator.
  private func taken(_ iterator: sending ValueSequence<Int>.Iterator) async -> [Int] {
    var (iterator, values) = (iterator, [Int]())
    while iterator.statistics.pending > 0, let value = await iterator.next() { values.append(value) }
    return values
  }

  @Test("every loaded value comes once and in order, and nothing else comes")
  func required_6_04_everyValue() async {
    publisher.updateData(1)
    let iterator = publisher.values().makeAsyncIterator()
    publisher.startLoading()
    publisher.updateData(2)
    publisher.setError(PublisherEnded(source: publisher.id))
    publisher.startLoading()
    publisher.updateData(3)
    publisher.reset()
    let statistics = iterator.statistics
    #expect((statistics.delivered, statistics.skipped, statistics.pending) == (0, 0, 3))
    #expect(await taken(iterator) == [1, 2, 3])
  }

  enum Later: CaseIterable { case loading, error, reset, state, all }

  @Test(
    "a bounded buffer keeps the newest value whatever phases follow it",
    arguments: [.latest, .newest(1), .newest(3)] as [BufferingPolicy], Later.allCases)
  func required_6_04_newestValue(policy: BufferingPolicy, later: Later) async {
    let iterator = publisher.values(buffering: policy).makeAsyncIterator()
    for number in 1...5 { publisher.updateData(number) }
    for _ in 0..<10 {
      if later == .loading || later == .all { publisher.startLoading() }
      if later == .error || later == .all { publisher.setError(PublisherEnded(source: publisher.id)) }
      if later == .reset || later == .all { publisher.reset() }
      if later == .state || later == .all { publisher.setState(.loading(previous: 9)) }
    }
    let statistics = iterator.statistics
    let expected = policy.rest(of: Array(1...5))
    #expect(statistics.skipped == 5 - expected.count)
    #expect(statistics.highWater == expected.count)
    #expect(await taken(iterator) == expected)
  }

  @Test("a waiting iterator of values sleeps through other phases and gets the next value")
  func required_6_04_waiting() async throws {
    let publisher = publisher
    let trial = Trial { () -> Int? in
      var iterator = publisher.values(buffering: .latest).makeAsyncIterator()
      return await iterator.next()
    }
    #expect(!trial.run().isOver)
    publisher.startLoading()
    #expect(!trial.run().isOver)
    publisher.updateData(7)
    publisher.startLoading()
    #expect(try await trial.finish() == 7)
  }

  @Test("drain() waits only for values if an iterator of values is the subscriber")
  func required_6_04_drain() async throws {
    let iterator = publisher.values().makeAsyncIterator()
    publisher.startLoading()
    await publisher.drain()
    publisher.updateData(1)
    let publisher = publisher
    let trial = Trial { await publisher.drain() }
    #expect(!trial.run().isOver)
    #expect(await taken(iterator) == [1])
    try await trial.finish()
  }

  // MARK: value(), which waits as an iterator does

  private func waiting() -> Trial<Int> { Trial { [publisher] in try await publisher.value() }.run() }

  @Test("it returns a loaded value at once, and throws the current error, even if there is previous data")
  func required_2_01_atOnce() {
    publisher.updateData(5)
    #expect(waiting().value == 5)
    publisher.setState(.error(Failure.denied, previous: 1))
    #expect(waiting().error as? Failure == .denied)
    #expect(publisher.subscriberCount == 0)
  }

  @Test("any number of tasks wait for the next value or error", arguments: [false, true])
  func required_2_01_6_01_later(fails: Bool) {
    publisher.setState(.loading(previous: 1))
    let trials = (0..<5).map { _ in waiting() }
    #expect(publisher.subscriberCount == 5)
    publisher.reset()
    publisher.startLoading()
    #expect(trials.allSatisfy { !$0.run().isOver })
    if fails { publisher.setError(Failure.offline) }
    publisher.updateData(5)
    publisher.updateData(6)
    for trial in trials {
      trial.run()
      #expect(trial.value == (fails ? nil : 5))
      #expect(trial.error as? Failure == (fails ? .offline : nil))
    }
    #expect(publisher.subscriberCount == 0)
  }

  @Test("it throws a CancellationError if its task is cancelled before or during the call", arguments: [true, false])
  func required_6_02_cancelled(waits: Bool) {
    let trial = Trial { [publisher] in try await publisher.value() }
    if waits { trial.run() }
    trial.cancel()
    trial.run()
    #expect(trial.error is CancellationError)
    #expect(publisher.subscriberCount == 0)
  }
}
