import Dispatch
import SubPub
import SubPubTesting
import Testing

extension PublishingTests {
  @Suite("update reads, changes and publishes as one atomic step")
  struct UpdateTests {
    @Test("it returns what it published")
    func required_1_01_result() {
      let publisher = Publisher<Int>()
      publisher.updateData(1)
      let publication = publisher.update { $0.map { $0 + 1 } }
      #expect(publication.state == .loaded(2))
      #expect(publication.version == 2)
      #expect(publication.source == publisher.id)
      #expect(publisher.current === publication)
    }

    @Test("four threads that add lose nothing: the sum is exact, and every subscriber sees it grow")
    func stochastic_1_02_atomic() async {
      let publisher = Publisher<Int>()
      let recorder = Recorder<Int>()
      publisher.updateData(0)
      publisher.subscribe(recorder, on: .queue(DispatchQueue(label: "recorder")))
      await race(threads: 4, rounds: 40) { thread in
        for _ in 0..<100 {
          publisher.update { state in
            // Gives the others time to come first.
            for _ in 0..<10 { _ = publisher.current }
            return state.map { $0 + thread + 1 }
          }
        }
      }
      #expect(publisher.state == .loaded(40_000))
      #expect(publisher.current.version == 16_001)
      await publisher.drain()
      let values = recorder.states.compactMap(\.value)
      #expect(values.count == 16_001)
      #expect(zip(values, values.dropFirst()).allSatisfy { $0 < $1 })
    }

    @Test("a transform runs again when another thread came first, and gets the newer state")
    func required_1_02_overtaken() {
      let publisher = Publisher<Int>()
      publisher.updateData(1)
      var seen: [LoadState<Int>] = []
      publisher.update { state in
        seen.append(state)
        if seen.count == 1 { Self.onAnotherThread { publisher.updateData(10) } }
        return state.map { $0 + 1 }
      }
      #expect(seen == [.loaded(1), .loaded(10)])
      #expect(publisher.state == .loaded(11))
      #expect(publisher.current.version == 3)
    }

    @Test("while a transform runs, other threads read, publish, subscribe and cancel without waiting")
    func required_1_04_unlocked() {
      let publisher = Publisher<Int>()
      let recorder = Recorder<Int>()
      var runs = 0
      publisher.update { state in
        runs += 1
        guard runs == 1 else { return state }
        Self.onAnotherThread {
          #expect(publisher.state == .unknown)
          publisher.startLoading()
          let subscription = publisher.subscribe(recorder, on: .immediate)
          #expect(publisher.subscriberCount == 1)
          #expect(subscription.cancel() == .quiescent)
        }
        return state
      }
      #expect(recorder.states == [.loading(previous: nil)])
    }

    @Test("a transform that throws publishes nothing, and the error is passed on")
    func required_1_01_throwing() {
      let publisher = Publisher<Int>()
      let recorder = Recorder<Int>()
      publisher.updateData(1)
      publisher.subscribe(recorder, on: .immediate)
      #expect(throws: Failure.denied) { try publisher.update { _ in throw Failure.denied } }
      #expect(publisher.state == .loaded(1))
      #expect(publisher.current.version == 1)
      #expect(recorder.states.count == 1)
    }

    @Test("after a throw the same thread may publish and update again")
    func required_1_01_afterThrowing() {
      let publisher = Publisher<Int>()
      #expect(throws: Failure.denied) { try publisher.update { _ in throw Failure.denied } }
      publisher.updateData(1)
      publisher.update { $0.map { $0 + 1 } }
      publisher.startLoading()
      #expect(publisher.state == .loading(previous: 2))
    }

    @Test("a transform may read its own publisher, and change another")
    func required_1_06_otherPublisher() {
      let (publisher, other) = (Publisher<Int>(), Publisher<Int>())
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

    @Test("who receives what update published may publish at once")
    func required_4_01_publishOnDelivery() {
      let publisher = Publisher<Int>()
      let recorder = Recorder<Int>()
      publisher.subscribe(publisher, on: .immediate) { publisher, state in
        if let value = state.value, value < 3 { publisher.update { _ in .loaded(value + 1) } }
      }
      publisher.subscribe(recorder, on: .immediate)
      publisher.update { _ in .loaded(1) }
      #expect(recorder.states == [.unknown, .loaded(1), .loaded(2), .loaded(3)])
    }

    /// Returns when the body has run, on a thread that isn't this one.
    static func onAnotherThread(_ body: @escaping @Sendable () -> Void) {
      let done = DispatchSemaphore(value: 0)
      DispatchQueue(label: "another thread").async {
        body()
        done.signal()
      }
      done.wait()
    }
  }
}
