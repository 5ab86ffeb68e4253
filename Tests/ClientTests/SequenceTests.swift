import SubPub
import SubPubTesting
import Testing

extension ClientTests {
  @Suite("Sequences: a publisher in a loop")
  struct SequenceTests {
    let publisher = Publisher<Int>(label: "sequence")

    @Test("an iterator listens from when it is made until it is released, and counts what it takes and skips")
    func byHand() async {
      let sequence: StateSequence<Int> = publisher.states(buffering: .newest(2))
      #expect(sequence.source == publisher.id)
      #expect("\(sequence)" == "states of sequence, newest(2)")
      #expect(publisher.subscriberCount == 0)
      do {
        var iterator: StateSequence<Int>.Iterator = sequence.makeAsyncIterator()
        #expect(publisher.subscriberCount == 1)
        publishThree(publisher)
        #expect(iterator.statistics.pending == 2)
        #expect(iterator.statistics.skipped == 2)
        #expect(await iterator.next() == threeStates[2])
        #expect(await iterator.next(isolation: nil) == threeStates[3])
        #expect(iterator.statistics.delivered == 2)
        #expect(iterator.statistics.lastVersion == 3)
        #expect(iterator.statistics.highWater == 2)
      }
      #expect(publisher.subscriberCount == 0)
    }

    /// Collects states up to the first error.
    ///
    /// Needs no `try`: the sequence never fails, as its type says.
    nonisolated private static func collect(
      _ sequence: some AsyncSequence<LoadState<Int>, Never>, listening: AsyncGate
    ) async -> [LoadState<Int>] {
      var states: [LoadState<Int>] = []
      for await state in sequence {
        listening.open()
        states.append(state)
        if state.phase == .error { break }
      }
      return states
    }

    @Test("two tasks consume one sequence independently, and leaving the loop unregisters")
    func twoConsumers() async {
      let (states, gates) = (publisher.states(), [AsyncGate(), AsyncGate()])
      let tasks = gates.map { gate in Task { await Self.collect(states, listening: gate) } }
      for gate in gates { await gate.pass() }
      publishThree(publisher)
      for task in tasks { #expect(await task.value == threeStates) }
      #expect(publisher.subscriberCount == 0)
    }

    @Test("cancelling its task ends a loop")
    func cancelling() async {
      let listening = AsyncGate()
      let looping = Task { await Self.collect(publisher.states(buffering: .latest), listening: listening) }
      await listening.pass()
      looping.cancel()
      #expect(await looping.value == [.unknown])
      #expect(publisher.subscriberCount == 0)
    }

    @Test("after the publisher's end, the last state comes, and then nil")
    func publisherEnds() async throws {
      var brief: Publisher<Int>? = Publisher<Int>()
      let sequence = try #require(brief?.states())
      var iterator = sequence.makeAsyncIterator()
      brief?.updateData(1)
      brief = nil
      #expect(await iterator.next() == .unknown)
      #expect(await iterator.next() == .loaded(1))
      #expect(await iterator.next() == nil)
      var late = sequence.makeAsyncIterator()
      #expect(await late.next() == .loaded(1))
      #expect(await late.next() == nil)
    }

    @Test("a sequence of values leaves out everything else")
    func values() async {
      let values: ValueSequence<Int> = publisher.values(buffering: .unbounded)
      #expect(values.source == publisher.id)
      #expect("\(values)" == "values of sequence, unbounded")
      var iterator: ValueSequence<Int>.Iterator = values.makeAsyncIterator()
      publishThree(publisher)
      publisher.updateData(2)
      publisher.startLoading()
      publisher.updateData(3)
      #expect(await iterator.next() == 1)
      #expect(await iterator.next(isolation: nil) == 2)
      #expect(await iterator.next() == 3)
      #expect(iterator.statistics.lastVersion == publisher.current.version)

      for await value in publisher.values() {
        #expect(value == 3, "the replay")
        break
      }
      #expect(publisher.subscriberCount == 1)
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
      for await publication in publisher.publications() {
        #expect(publication === publisher.current)
        break
      }
    }

    private actor Watcher {
      private(set) var values: [Int] = []

      func watch(_ publisher: Publisher<Int>, listening: AsyncGate) async {
        for await state in publisher.states() {
          preconditionIsolated()
          listening.open()
          guard let value = state.value else { continue }
          values.append(value)
          break
        }
      }
    }

    @Test("a loop on the main actor, and one on an actor, keep their isolation")
    func onActors() async {
      let (gates, watcher) = ([AsyncGate(), AsyncGate()], Watcher())
      let onMain = Task { @MainActor [publisher] in
        var states: [LoadState<Int>] = []
        for await state in publisher.states() {
          Here.assertMainActor()
          gates[0].open()
          states.append(state)
          if state.phase == .error { break }
        }
        return states
      }
      let onActor = Task { [publisher] in await watcher.watch(publisher, listening: gates[1]) }
      for gate in gates { await gate.pass() }
      publishThree(publisher)
      #expect(await onMain.value == threeStates)
      await onActor.value
      #expect(await watcher.values == [1])
    }
  }
}
