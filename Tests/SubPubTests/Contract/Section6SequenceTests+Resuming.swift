import SubPub
import SubPubTesting
import Testing

// Rule 6.05: clients that come back.
extension Section6SequenceTests {
  /// The versions that an iterator of a client that comes back has pending.
  private func versions(
    _ publisher: Publisher<Int>, after id: PublicationID?, _ buffering: BufferingPolicy = .unbounded
  ) async -> [UInt64] {
    var iterator = publisher.publications(after: id, buffering: buffering).makeAsyncIterator()
    var versions: [UInt64] = []
    while iterator.statistics.pending > 0, let publication = await iterator.next() {
      versions.append(publication.version)
    }
    #expect(iterator.statistics.skipped + versions.count >= versions.count)
    return versions
  }

  @Test(
    "a client that comes back gets what it has missed, if the publisher still holds all of it",
    arguments: [0, 1, 3, 10])
  func required_6_05_history(history: Int) async {
    let publisher = Publisher<Int>(history: history)
    var ids = [publisher.current.id]
    for number in 1...8 {
      publisher.updateData(number)
      ids.append(publisher.current.id)
    }
    for (version, id) in ids.enumerated() {
      #expect(id.version == UInt64(version))
      let missed = 8 - version
      let expected = missed <= history + 1 ? Array(UInt64(version + 1)..<9) : [8]
      #expect(await versions(publisher, after: id) == expected)
      #expect(await versions(publisher, after: PublicationID(id.description)) == expected)
    }
    #expect(await versions(publisher, after: nil) == [8])
  }

  @Test("an identifier of another publisher, of the future, or of before a reset begins with the current state")
  func required_6_05_unknown() async {
    let (publisher, other) = (Publisher<Int>(history: 10), Publisher<Int>(history: 10))
    for number in 1...3 {
      publisher.updateData(number)
      other.updateData(number)
    }
    let id = publisher.current.id
    #expect(id.epoch != other.current.id.epoch)
    #expect(await versions(publisher, after: other.current.id) == [3])
    #expect(await versions(publisher, after: PublicationID(epoch: id.epoch, version: 4)) == [3])
    #expect(await versions(publisher, after: PublicationID(epoch: id.epoch, version: .max)) == [3])
    #expect(await versions(publisher, after: id) == [])
    publisher.reset()
    publisher.updateData(5)
    #expect(await versions(publisher, after: id) == [4, 5])
    #expect(await versions(publisher, after: PublicationID(epoch: id.epoch, version: 2)) == [5])
  }

  @Test("what was missed obeys the buffering policy, and doesn't end a client that comes back")
  func required_6_05_2_04_buffering() async {
    let publisher = Publisher<Int>(history: 10)
    let id = publisher.current.id
    for number in 1...5 { publisher.updateData(number) }
    #expect(await versions(publisher, after: id, .latest) == [5])
    #expect(await versions(publisher, after: id, .newest(2)) == [4, 5])
    #expect(await versions(publisher, after: id, .ending(5)) == [1, 2, 3, 4, 5])
    #expect(await versions(publisher, after: id, .ending(4)) == [5])
    var full = publisher.publications(after: id, buffering: .ending(5)).makeAsyncIterator()
    #expect(await full.next()?.version == 1)
    publisher.updateData(6)
    #expect(full.end == nil)
    publisher.updateData(7)
    #expect(full.end == .fellBehind)
  }

  @Test("an iterator tells whether it goes on, or begins anew")
  func required_6_05_isResumed() async {
    let (publisher, other) = (Publisher<Int>(history: 2), Publisher<Int>(history: 2))
    let ids = (1...5).map { number in
      publisher.updateData(number)
      return publisher.current.id
    }
    func isResumed(after id: PublicationID?, _ buffering: BufferingPolicy = .unbounded) -> Bool {
      publisher.publications(after: id, buffering: buffering, label: "client").makeAsyncIterator().isResumed
    }
    #expect(ids.map { isResumed(after: $0) } == [false, true, true, true, true])
    #expect(!isResumed(after: nil))
    #expect(!isResumed(after: other.current.id))
    #expect(isResumed(after: ids[1], .latest))
    #expect(isResumed(after: ids[1], .ending(3)))
    #expect(!isResumed(after: ids[1], .ending(2)))
    #expect(!publisher.states().makeAsyncIterator().isResumed)
    // Each iterator of a sequence for itself.
    let sequence = publisher.publications(after: ids[1])
    let first = sequence.makeAsyncIterator()
    publisher.reset()
    #expect(!sequence.makeAsyncIterator().isResumed)
    #expect(first.isResumed)
  }

  @Test("a client that comes back ends as soon as too much is pending, what it has missed included")
  func required_6_05_2_11_comesBack() async {
    let publisher = Publisher<Int>(history: 10)
    let id = publisher.current.id
    for number in 1...3 { publisher.updateData(number) }
    let iterator = publisher.publications(after: id, buffering: .ending(4)).makeAsyncIterator()
    publisher.updateData(4)
    #expect(iterator.end == nil)
    publisher.updateData(5)
    #expect(iterator.end == .fellBehind)
    #expect(iterator.statistics.skipped == 5)
  }

  @Test("a history holds no more than it should, and goes with its publisher")
  func required_6_05_3_05_memory() {
    let deaths = Deaths()
    do {
      let publisher = Publisher<Token>(history: 2)
      for _ in 1...5 { publisher.updateData(deaths.makeToken()) }
      #expect(deaths.count == 2)
      publisher.reset()
      #expect(deaths.count == 5)
      publisher.updateData(deaths.makeToken())
      withExtendedLifetime(publisher) {}
    }
    #expect(deaths.count == 6)
  }

  @Test("the history goes with its publisher, whoever still holds a subscription", arguments: [false, true])
  func required_6_05_3_06_subscriptionsKept(hasSequence: Bool) async {
    let deaths = Deaths()
    var publisher: Publisher<Token>? = Publisher<Token>(history: 5)
    let id = publisher?.current.id
    for _ in 1...3 { publisher?.updateData(deaths.makeToken()) }
    let subscriptions = [
      publisher?.subscribe(deaths, on: .immediate) { _, _ in },
      publisher?.publications().makeAsyncIterator().subscription,
    ]
    // Can ask for the last state, and not for the history.
    let states = hasSequence ? publisher?.states() : nil
    publisher = nil
    #expect(deaths.count == (hasSequence ? 2 : 3))
    #expect(subscriptions.compactMap { $0?.end } == [.publisherEnded, .cancelled])
    #expect(states?.makeAsyncIterator().statistics.pending ?? 1 == 1)
    withExtendedLifetime((states, id)) {}
  }

  @Test("a sequence that goes on after a publication keeps the history until it is gone")
  func required_6_05_3_06_sequenceKept() {
    let deaths = Deaths()
    var publisher: Publisher<Token>? = Publisher<Token>(history: 5)
    var sequence = publisher.map { $0.publications(after: $0.current.id) }
    for _ in 1...3 { publisher?.updateData(deaths.makeToken()) }
    // Holds the registry, too.
    let subscription = publisher?.subscribe(deaths, on: .immediate) { _, _ in }
    publisher = nil
    #expect(deaths.count == 0)
    #expect(sequence?.makeAsyncIterator().statistics.pending == 3)
    sequence = nil
    #expect((deaths.count, subscription?.end) == (3, .publisherEnded))
  }

  @Test("whoever comes back to a finished publisher and has missed nothing has come to the end")
  func required_6_05_3_10_finished() async {
    let publisher = Publisher<Int>(history: 5)
    publisher.updateData(1)
    publisher.finish()
    let iterator = publisher.publications(after: publisher.current.id).makeAsyncIterator()
    #expect((iterator.isResumed, iterator.end) == (true, .publisherEnded))
    #expect(await iterator.subscription.ended() == .publisherEnded)
  }

  @Test("what the buffering policy drops of what was missed counts as skipped")
  func required_6_05_2_04_skipped() async {
    let publisher = Publisher<Int>(history: 10)
    let id = publisher.current.id
    for number in 1...5 { publisher.updateData(number) }
    for (policy, kept) in [(.latest, 1), (.newest(2), 2), (.newest(7), 5), (.unbounded, 5)] as [(BufferingPolicy, Int)]
    {
      let iterator = publisher.publications(after: id, buffering: policy).makeAsyncIterator()
      let statistics = iterator.statistics
      #expect((statistics.pending, statistics.skipped, statistics.highWater) == (kept, 5 - kept, kept))
      #expect((statistics.delivered, statistics.lastVersion) == (0, nil))
    }
  }

  @Test("an identifier is text that can be read back, and other text is none")
  func required_6_05_text() {
    for id in [PublicationID(epoch: 0, version: 0), PublicationID(epoch: .max, version: .max), publisher.current.id] {
      #expect(PublicationID(id.description) == id)
    }
    #expect(PublicationID(epoch: 1_732, version: 42).description == "1732-42")
    for text in [
      "", "-", "1", "1-", "-1", "1-2-3", "a-1", "1-b", "+1-2", "1-+2", " 1-2", "1-2\n", "01-2", "1-02",
      "18446744073709551616-1", "1--2", "１-2",
    ] {
      #expect(PublicationID(text) == nil, "\(text)")
    }
  }

  @Test(
    "whoever comes back while others publish misses nothing and gets nothing twice",
    arguments: 0..<TestRounds.of(5, full: 20))
  func stochastic_6_05_whilePublishing(seed: Int) async throws {
    let (publisher, most) = (Publisher<Int>(history: 10_000), TestRounds.of(1_000, full: 3_000))
    let consumed = Locked<[UInt64]>([])
    var (last, isOver) = (publisher.current.id, false)
    let publishing = Task.detached {
      for number in 1...most {
        publisher.updateData(number)
        if number % 100 == seed { await Task.yield() }
      }
      publisher.finish()
    }
    while !isOver {
      var count = 0
      for await publication in publisher.publications(after: last) {
        consumed.withLock { $0.append(publication.version) }
        (last, count) = (publication.id, count + 1)
        if count == 7 + seed { break }
      }
      isOver = count < 7 + seed && publisher.isFinished
    }
    await publishing.value
    #expect(consumed.withLock { $0 } == Array(1...UInt64(most)))
  }
}
