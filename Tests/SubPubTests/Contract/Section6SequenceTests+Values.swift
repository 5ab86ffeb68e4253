import SubPub
import SubPubTesting
import Testing

/// Sequences of values, and of publications.
extension Section6SequenceTests {
  /// Takes what an iterator has, without waiting for more.
  private func taken(_ iterator: sending ValueSequence<Int>.Iterator) async -> [Int] {
    var (iterator, values) = (iterator, [Int]())
    while iterator.statistics.pending > 0, let value = await iterator.next() { values.append(value) }
    return values
  }

  @Test("6.04: every loaded value comes once, in order, and nothing else")
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
    "6.04: under a bound the newest value comes, whatever follows it",
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

  @Test("6.04: a waiting iterator isn't woken by other states, and gets the value that comes")
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

  @Test("6.03: an iterator of values that is made after the end gives the last state's value, then nil")
  func required_6_03_valuesAfterTheEnd() async {
    let (loaded, failed): (ValueSequence<Int>, ValueSequence<Int>)
    do {
      let (first, second) = (Publisher<Int>(), Publisher<Int>())
      first.updateData(1)
      second.updateData(1)
      second.startLoading()
      (loaded, failed) = (first.values(), second.values())
    }
    var iterator = loaded.makeAsyncIterator()
    #expect(await iterator.next() == 1)
    #expect(await iterator.next() == nil)
    var empty = failed.makeAsyncIterator()
    #expect(await empty.next() == nil)
  }

  @Test("6.04: drain() waits for values only")
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

  @Test("6.01: publications carry versions and sources", arguments: BufferingPolicy.oneOfEach)
  func required_6_01_publications(policy: BufferingPolicy) async {
    var iterator = publisher.publications(buffering: policy).makeAsyncIterator()
    for number in 1...5 { publisher.updateData(number) }
    var versions: [UInt64] = []
    while iterator.statistics.pending > 0, let publication = await iterator.next() {
      #expect(publication.source == publisher.id)
      #expect(publication.state == .loaded(Int(publication.version)) || publication.version == 0)
      versions.append(publication.version)
    }
    #expect(versions == policy.rest(of: Array(0...5)))
    #expect(iterator.statistics.lastVersion == 5)
    #expect("\(publisher.publications(buffering: .latest))" == "publications of \(publisher.id), latest")
  }
}
