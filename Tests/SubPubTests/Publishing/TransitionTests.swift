import SubPub
import SubPubTesting
import Testing

extension PublishingTests {
  @Suite("Every call that changes the state is one transition, with a version one greater than the last")
  struct TransitionTests {
    let publisher = Publisher<Int>()
    let recorder = Recorder<Int>()

    @Test("previous data survives loading and errors, while setState and update set exactly what they are given")
    func required_5_01_previousData() {
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

    @Test("reset() clears previous data before any subscriber sees the new state")
    func required_5_02_reset() {
      publisher.updateData(1)
      publisher.subscribe(recorder, on: .immediate)
      publisher.reset()
      publisher.startLoading()
      publisher.setError(Failure.offline)
      #expect(recorder.states.map(\.value) == [1, nil, nil, nil])
    }
  }

  @Suite("update reads, changes and publishes the state as one atomic step")
  struct UpdateTests {
    let publisher = Publisher<Int>()

    @Test("if another thread publishes first, the transform runs again on the newer state")
    func required_1_02_overtaken() {
      publisher.updateData(1)
      var seen: [LoadState<Int>] = []
      publisher.update { state in
        seen.append(state)
        if seen.count == 1 { OwnThread.runBlocking { [publisher] in publisher.updateData(10) } }
        return state.map { $0 + 1 }
      }
      #expect(seen == [.loaded(1), .loaded(10)])
      #expect(publisher.state == .loaded(11))
      #expect(publisher.current.version == 3)
    }

    @Test("if another thread publishes first, the payload that the transform has read can publish in its deinit")
    func required_1_04_overtaken() {
      let publisher = Publisher<DeinitAction>()
      publisher.updateData(DeinitAction { [weak publisher] in publisher?.startLoading() })
      var runs = 0
      publisher.update { _ in
        runs += 1
        // From here on only this update holds the payload.
        if runs == 1 { OwnThread.runBlocking { publisher.reset() } }
        return .unknown
      }
      #expect(runs >= 2)
      #expect(publisher.current.version >= 4)
    }

    @Test("a transform can read its own publisher and change another")
    func required_1_06_otherPublisher() {
      let other = Publisher<Int>()
      publisher.updateData(1)
      other.updateData(10)
      publisher.update { state in
        #expect(publisher.state == .loaded(1))
        other.update { otherState in
          #expect(publisher.current.version == 1)
          return otherState.map { $0 + 1 }
        }
        other.republish()
        return state.map { $0 + 1 }
      }
      #expect(publisher.state == .loaded(2))
      #expect(other.state == .loaded(11))
      #expect(other.current.version == 3)
    }
  }
}
