import SubPub
import SubPubTesting
import Testing

extension PublishingTests {
  @Suite("Every call that changes the state is one transition, with a version one greater than the last")
  struct TransitionTests {
    @Test("all of them count in one order")
    func required_1_01_together() {
      let publisher = Publisher<Int>()
      let recorder = Recorder<Int>()
      publisher.subscribe(recorder, on: .immediate)
      for operation in Operation.allCases { operation.perform(at: publisher) }
      #expect(recorder.publications.map(\.version) == Array(0...7))
      #expect(
        recorder.states == [
          .unknown, .loading(previous: nil), .loaded(1), .error(Operation.Failure.offline, previous: 1), .unknown,
          .loading(previous: 2), .loading(previous: 2), .loading(previous: 2),
        ])
    }

    @Test("previous data survives loading and errors; setState and update set what they are given")
    func required_5_01_previousData() {
      let publisher = Publisher<Int>()
      publisher.updateData(1)
      for operation in [
        Operation.startLoading, .setError, .setError, .startLoading, .startLoading, .publish, .setError,
      ] {
        operation.perform(at: publisher)
        #expect(publisher.state.value == 1)
      }
      publisher.setState(.error(Failure.denied, previous: nil))
      publisher.startLoading()
      #expect(publisher.state == .loading(previous: nil))
      publisher.update { _ in .error(Failure.denied, previous: 5) }
      publisher.startLoading()
      #expect(publisher.state == .loading(previous: 5))
    }

    @Test("reset clears previous data before anyone sees the new state")
    func required_5_02_reset() {
      let publisher = Publisher<Int>()
      let recorder = Recorder<Int>()
      publisher.updateData(1)
      publisher.subscribe(recorder, on: .immediate)
      publisher.reset()
      publisher.startLoading()
      publisher.setError(Failure.offline)
      #expect(recorder.states.map(\.value) == [1, nil, nil, nil])
    }

    @Test("publish() sends the current state once more, to everyone, also to those who have it")
    func required_1_01_publish() {
      let publisher = Publisher<Int>()
      let (first, second) = (Recorder<Int>(), Recorder<Int>())
      publisher.updateData(1)
      publisher.subscribe(first, on: .immediate)
      publisher.subscribe(second, on: .immediate)
      publisher.republish()
      #expect(first.states == [.loaded(1), .loaded(1)])
      #expect(second.publications.map(\.version) == [1, 2])
    }

    @Test("four threads that publish get one version each time")
    func stochastic_1_01_versionsOfFourThreads() async {
      let publisher = Publisher<Int>()
      let recorder = Recorder<Int>()
      publisher.subscribe(recorder, on: .immediate)
      await race(threads: 4, rounds: 20) { thread in
        for number in 0..<25 { Operation.allCases[(thread + number) % Operation.allCases.count].perform(at: publisher) }
      }
      await publisher.drain()
      #expect(publisher.current.version == 2_000)
      #expect(recorder.publications.map(\.version) == Array(0...2_000))
    }
  }
}
