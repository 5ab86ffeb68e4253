import SubPub
import Testing

extension ClientTests {
  @Suite("Sequences: a publisher in a loop")
  struct SequenceTests {
    let publisher = Publisher<Int>(label: "sequence")

    @Test("an iterator listens from when it is made until it is released, and counts what it takes and skips")
    func states() async {
      let sequence: StateSequence<Int> = publisher.states(buffering: .newest(2))
      #expect(sequence.source == publisher.id)
      #expect("\(sequence)" == "states of sequence, newest(2)")
      do {
        var iterator: StateSequence<Int>.Iterator = sequence.makeAsyncIterator()
        #expect(publisher.subscriberCount == 1)
        publishThree(publisher)
        #expect((iterator.statistics.pending, iterator.statistics.skipped) == (2, 2))
        #expect(await iterator.next() == threeStates[2])
        #expect(await iterator.next(isolation: nil) == threeStates[3])
        #expect((iterator.statistics.delivered, iterator.statistics.highWater) == (2, 2))
        #expect(iterator.statistics.lastVersion == 3)
      }
      #expect(publisher.subscriberCount == 0)
    }

    @Test("a sequence of values leaves out everything else")
    func values() async {
      let sequence: ValueSequence<Int> = publisher.values(buffering: .unbounded)
      #expect(sequence.source == publisher.id)
      #expect("\(sequence)" == "values of sequence, unbounded")
      var iterator: ValueSequence<Int>.Iterator = sequence.makeAsyncIterator()
      publishThree(publisher)
      publisher.updateData(2)
      #expect(await iterator.next() == 1)
      #expect(await iterator.next(isolation: nil) == 2)
      #expect(iterator.statistics.lastVersion == publisher.current.version)
      for await value in publisher.values() {
        #expect(value == 2, "the replay")
        break
      }
    }

    @Test("a sequence of publications has versions")
    func publications() async {
      let sequence: PublicationSequence<Int> = publisher.publications(buffering: .newest(2))
      var iterator: PublicationSequence<Int>.Iterator = sequence.makeAsyncIterator()
      publishThree(publisher)
      #expect(await iterator.next()?.version == 2)
      #expect(await iterator.next(isolation: nil)?.version == 3)
      #expect(iterator.statistics.skipped == 2)
      #expect(sequence.source == publisher.id)
      #expect(sequence.description == "publications of sequence, newest(2)")
    }

    private nonisolated struct Row: Identifiable, Hashable, Codable, Sendable {
      let id: Int
      var name = "row"
    }

    @Test("a list comes by its changes, which lead to the list again")
    func changes() async {
      let publisher = Publisher<[Row]>(label: "rows", initial: [Row(id: 1), Row(id: 2)])
      let sequence: ListChangeSequence<Row> = publisher.changes(buffering: .latest, label: "client")
      #expect(sequence.description == "changes of rows, latest")
      var iterator: ListChangeSequence<Row>.Iterator = sequence.makeAsyncIterator()
      #expect(iterator.subscription.label == "client")
      var list = await iterator.next()?.applied(to: []) ?? []
      #expect(list == publisher.state.value)
      publisher.updateData([Row(id: 2, name: "two"), Row(id: 1), Row(id: 3)])
      let change: ListChange<Int, Row>? = await iterator.next(isolation: nil)
      #expect(change?.description == "1 inserted, 1 updated, 1 moved")
      list = change?.applied(to: list) ?? []
      #expect(list == publisher.state.value)
      #expect(iterator.statistics.delivered == 2)
      publisher.reset()
      switch await iterator.next() {
      case .reset(let rows)?: #expect(rows.isEmpty)
      case .changed(let inserted, let updated, let removed, let moved)?:
        Issue.record("\(inserted.count), \(updated.count), \(removed.count), \(moved.count)")
      case nil: Issue.record("nothing was given")
      }
      publisher.finish()
      #expect(await Self.first(of: publisher.readOnly.changes()) == nil)
    }

    /// The first change of an ended sequence, which may be any sequence of changes.
    nonisolated private static func first(
      of changes: some AsyncSequence<ListChange<Int, Row>, Never> & Sendable
    ) async -> ListChange<Int, Row>? {
      for await change in changes { return change }
      return nil
    }

    @Test("the number of subscriptions is a sequence")
    func subscriberCounts() async {
      let sequence: ValueSequence<Int> = publisher.subscriberCounts
      var counts: ValueSequence<Int>.Iterator = sequence.makeAsyncIterator()
      #expect(await counts.next() == 0)
      do {
        let states = publisher.states().makeAsyncIterator()
        #expect(await counts.next() == 1)
        withExtendedLifetime(states) {}
      }
      #expect(await counts.next() == 0)
      for await count in publisher.readOnly.subscriberCounts where count == 0 { break }
    }

    /// Publishes when the loop begins, and collects states up to the first error.
    ///
    /// Needs no `try`: the sequence never fails, as its type says.
    nonisolated private static func collect(
      _ sequence: some AsyncSequence<LoadState<Int>, Never>, of publisher: Publisher<Int>
    ) async -> [LoadState<Int>] {
      var states: [LoadState<Int>] = []
      for await state in sequence {
        if state == .unknown { publishThree(publisher) }
        states.append(state)
        if state.phase == .error { break }
      }
      return states
    }

    @Test("a loop runs where its task does, and leaving it unregisters")
    @MainActor func loops() async {
      #expect(await Self.collect(publisher.states(), of: publisher) == threeStates)
      #expect(publisher.subscriberCount == 0)
      for await state in publisher.states() {
        Here.assertMainActor()
        #expect(state == threeStates[3])
        break
      }
      #expect(publisher.subscriberCount == 0)
    }
  }
}
