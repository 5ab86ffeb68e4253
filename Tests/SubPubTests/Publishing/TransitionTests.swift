import SubPub
import SubPubTesting
import Testing

extension PublishingTests {
  @Suite("Every call that changes the state is one transition, with a version one greater than the last")
  struct TransitionTests {
    enum Call: CaseIterable {
      case startLoading, updateData, setError, reset, setState, publish, update

      func make(at publisher: Publisher<Int>) {
        switch self {
        case .startLoading: publisher.startLoading()
        case .updateData: publisher.updateData(1)
        case .setError: publisher.setError(Failure.offline)
        case .reset: publisher.reset()
        case .setState: publisher.setState(.loading(previous: 2))
        case .publish: publisher.publish()
        case .update: publisher.update { $0 }
        }
      }
    }

    @Test("a new publisher is unknown, at version 0, and replays that")
    func required_1_01_new() {
      let publisher = Publisher<Int>()
      #expect(publisher.state == .unknown)
      #expect(publisher.current.version == 0)
      let recorder = Recorder<Int>()
      publisher.subscribe(recorder, on: .immediate)
      #expect(recorder.publications.map(\.version) == [0])
      #expect(recorder.states == [.unknown])
    }

    @Test("also when nothing changes", arguments: Call.allCases)
    func required_1_01_everyCallCounts(call: Call) {
      let publisher = Publisher<Int>()
      let recorder = Recorder<Int>()
      publisher.subscribe(recorder, on: .immediate)
      call.make(at: publisher)
      let state = publisher.state
      #expect(publisher.current.version == 1)
      call.make(at: publisher)
      call.make(at: publisher)
      #expect(publisher.current.version == 3)
      #expect(publisher.state == state)
      #expect(recorder.publications.map(\.version) == [0, 1, 2, 3])
      #expect(recorder.states.dropFirst() == [state, state, state])
    }

    @Test("all of them count in one order")
    func required_1_01_together() {
      let publisher = Publisher<Int>()
      let recorder = Recorder<Int>()
      publisher.subscribe(recorder, on: .immediate)
      for call in Call.allCases { call.make(at: publisher) }
      #expect(recorder.publications.map(\.version) == Array(0...7))
      #expect(
        recorder.states == [
          .unknown, .loading(previous: nil), .loaded(1), .error(Failure.offline, previous: 1), .unknown,
          .loading(previous: 2), .loading(previous: 2), .loading(previous: 2),
        ])
    }

    @Test("previous data survives loading and errors; setState and update set what they are given")
    func required_5_01_previousData() {
      let publisher = Publisher<Int>()
      publisher.updateData(1)
      for call in [Call.startLoading, .setError, .setError, .startLoading, .startLoading, .publish, .setError] {
        call.make(at: publisher)
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
      publisher.publish()
      #expect(first.states == [.loaded(1), .loaded(1)])
      #expect(second.publications.map(\.version) == [1, 2])
    }

    @Test("state and version are read together, and a later reading is never older")
    func stochastic_1_01_stateAndVersionTogether() async {
      let publisher = Publisher<Int>()
      let faults = Locked(0)
      await race(threads: 4, rounds: 40) { thread in
        var last: UInt64 = 0
        for _ in 0..<100 {
          if thread < 2 { publisher.update { .loaded(($0.value ?? 0) + 1) } }
          let current = publisher.current
          // The value counts the versions.
          if current.version != UInt64(current.state.value ?? 0) || current.version < last {
            faults.withLock { $0 += 1 }
          }
          last = current.version
        }
      }
      #expect(faults.withLock { $0 } == 0)
      #expect(publisher.current.version == 8_000)
    }

    @Test("four threads that publish get one version each time")
    func stochastic_1_01_versionsOfFourThreads() async {
      let publisher = Publisher<Int>()
      let recorder = Recorder<Int>()
      publisher.subscribe(recorder, on: .immediate)
      await race(threads: 4, rounds: 20) { thread in
        for number in 0..<25 { Call.allCases[(thread + number) % Call.allCases.count].make(at: publisher) }
      }
      await publisher.drain()
      #expect(publisher.current.version == 2_000)
      #expect(recorder.publications.map(\.version) == Array(0...2_000))
    }
  }
}
