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
