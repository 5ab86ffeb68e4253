import SubPub
import SubPubTesting
import Testing

@Suite("Section 6: async sequences", .serialized, .timeLimit(.minutes(2)))
struct Section6SequenceTests {
  typealias Trial = PublishingTests.Trial
  typealias Mortal = Deaths.Mortal

  let publisher = Publisher<Int>()

  static func states(_ numbers: some Sequence<Int>) -> [LoadState<Int>] { numbers.map { .loaded($0) } }

  @Test("6.01: consumers are independent: each gets everything, whatever the others do")
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

  @Test("6.01: each has its own policy, and its own counts", arguments: BufferingPolicy.oneOfEach)
  func required_6_01_policies(policy: BufferingPolicy) {
    let all = Consumer(publisher.states())
    let other = Consumer(publisher.states(buffering: policy))
    all.run()
    other.run()
    for number in 1...10 { publisher.updateData(number) }
    all.run()
    other.run()
    #expect(all.states == [.unknown] + Self.states(1...10))
    #expect(other.states == [.unknown] + Self.states(policy.rest(of: Array(1...10))))
    for consumer in [all, other] { consumer.cancel() }
    for consumer in [all, other] { consumer.run() }
    #expect(all.statistics?.delivered == 11)
    #expect(all.statistics?.skipped == 0)
    #expect(other.statistics?.delivered == other.states.count)
    #expect(other.statistics?.skipped == 11 - other.states.count)
    #expect(other.statistics?.pending == 0)
  }

  @Test("6.01: an iterator subscribes when it is made, and begins with the state of that moment (2.01)")
  func required_6_01_2_01_joins() async {
    publisher.updateData(1)
    let sequence = publisher.states()
    publisher.updateData(2)
    #expect(publisher.subscriberCount == 0)
    var iterator = sequence.makeAsyncIterator()
    #expect(publisher.subscriberCount == 1)
    publisher.updateData(3)
    #expect(iterator.statistics.pending == 2)
    #expect(await iterator.next() == .loaded(2))
    #expect(await iterator.next() == .loaded(3))
    #expect(iterator.statistics.lastVersion == 3)
  }

  @Test("6.01: a delivery ends when next() returns: a publish in the loop is a later state (4.01)")
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

  @Test("6.01: values are independent too, and pass over what isn't loaded")
  func required_6_01_values() {
    let values = publisher.values()
    let trials = (0..<2).map { index in
      Trial {
        var seen: [Int] = []
        for await value in values {
          seen.append(value)
          if seen.count == 2 + index { break }
        }
        return seen
      }.run()
    }
    publisher.startLoading()
    publisher.updateData(1)
    publisher.setError(CancellationError())
    publisher.updateData(2)
    for trial in trials { trial.run() }
    #expect(trials[0].value == [1, 2])
    #expect(!trials[1].isOver)
    #expect(publisher.subscriberCount == 1)
    publisher.updateData(3)
    #expect(trials[1].run().value == [1, 2, 3])
    #expect(publisher.subscriberCount == 0)
  }

  @Test("6.01, 1.02: on real threads all see one sequence of versions")
  func stochastic_6_01_1_02_sameSequence() async throws {
    for _ in 0..<20 {
      let publisher = Publisher<Int>()
      let ends = (0..<3).map { _ in
        var iterator = publisher.states().makeAsyncIterator()
        let end = Recorder<[LoadState<Int>]>()
        Task {
          var seen: [LoadState<Int>] = []
          while seen.last != .loaded(-1), let state = await iterator.next() { seen.append(state) }
          end.receive(.loaded(seen))
        }
        return end
      }
      try await Race.run(threads: 3) { thread in
        for number in 0..<100 { publisher.updateData(1_000 * thread + number) }
      }
      publisher.updateData(-1)
      for end in ends { try await end.wait(count: 1) }
      let first = ends[0].states.first?.value
      #expect(first?.count == 302)
      for end in ends { #expect(end.states.first?.value == first) }
    }
  }
}
