import SubPub
import SubPubTesting
import Testing

extension PublishingTests {
  @Suite("Loaded data becomes stale by the publisher's clock, less the age that it came with")
  struct StalenessTests {
    let clock = ManualClock()

    func publisher(staleAfter: Duration? = .seconds(60)) -> Publisher<Int> {
      Publisher(staleAfter: staleAfter, clock: clock)
    }

    @Test("at the end of that time, and not before")
    func required_5_06_boundary() {
      let publisher = publisher()
      #expect(publisher.staleAfter == .seconds(60))
      clock.advance(by: .seconds(1_000))
      publisher.updateData(1)
      #expect(!publisher.isStale)
      clock.advance(by: .seconds(60) - .nanoseconds(1))
      #expect(!publisher.isStale)
      clock.advance(by: .nanoseconds(1))
      #expect(publisher.isStale)
      clock.advance(by: .seconds(1_000))
      #expect(publisher.isStale)
    }

    @Test("the age of the data counts")
    func required_5_06_age() {
      let publisher = publisher()
      publisher.updateData(1, age: .seconds(59))
      #expect(!publisher.isStale)
      clock.advance(by: .seconds(1))
      #expect(publisher.isStale)
      publisher.updateData(2, age: .seconds(60))
      #expect(publisher.isStale)
      publisher.updateData(3, age: .seconds(100_000))
      #expect(publisher.isStale)
      publisher.updateData(4)
      #expect(!publisher.isStale)
    }

    @Test("nothing but loaded data is stale, however long it stands")
    func required_5_06_otherPhases() {
      let publisher = publisher()
      #expect(!publisher.isStale)
      clock.advance(by: .seconds(61))
      #expect(!publisher.isStale)
      publisher.updateData(1, age: .seconds(61))
      #expect(publisher.isStale)
      publisher.startLoading()
      clock.advance(by: .seconds(61))
      #expect(!publisher.isStale)
      publisher.setError(Failure.offline)
      clock.advance(by: .seconds(61))
      #expect(!publisher.isStale)
      publisher.reset()
      clock.advance(by: .seconds(61))
      #expect(!publisher.isStale)
    }

    @Test("fresh data is fresh however it is published")
    func required_5_06_everyWay() {
      let ways: [(Publisher<Int>) -> Void] = [
        { $0.updateData(2) }, { $0.setState(.loaded(2)) }, { $0.update { _ in .loaded(2) } },
        { $0.updateData(ifChanged: 2) },
      ]
      for publish in ways {
        let publisher = publisher()
        publisher.updateData(1)
        clock.advance(by: .seconds(60))
        #expect(publisher.isStale)
        publish(publisher)
        #expect(!publisher.isStale)
        clock.advance(by: .seconds(59))
        #expect(!publisher.isStale)
        clock.advance(by: .seconds(1))
        #expect(publisher.isStale)
      }
    }

    @Test("publish() makes nothing fresher")
    func required_5_06_publish() {
      let publisher = publisher()
      publisher.updateData(1, age: .seconds(30))
      publisher.republish()
      #expect(!publisher.isStale)
      clock.advance(by: .seconds(30))
      publisher.republish()
      #expect(publisher.isStale)
    }

    @Test("becoming stale publishes nothing")
    func required_5_06_silence() {
      let publisher = publisher()
      let recorder = Recorder<Int>()
      publisher.updateData(1)
      publisher.subscribe(recorder, on: .immediate)
      clock.advance(by: .seconds(61))
      #expect(publisher.isStale)
      #expect(recorder.states == [.loaded(1)])
      #expect(publisher.current.version == 1)
      #expect(clock.sleepers == 0)
    }

    @Test("without staleAfter nothing becomes stale, whatever its age, and the clock is not read")
    func required_5_06_never() {
      let clock = CountingClock()
      let publisher = Publisher<Int>(staleAfter: nil, clock: clock)
      #expect(publisher.staleAfter == nil)
      publisher.updateData(1, age: .seconds(1_000_000))
      publisher.setState(.loaded(2))
      publisher.update { $0 }
      publisher.updateData(ifChanged: 3)
      publisher.startLoading()
      publisher.setError(Failure.offline)
      publisher.reset()
      publisher.updateData(4)
      publisher.republish()
      #expect(!publisher.isStale)
      #expect(clock.readings == 0)
    }

    @Test("with staleAfter the clock is read for data, and for nothing else that is published")
    func required_5_06_readings() {
      let clock = CountingClock()
      let publisher = Publisher<Int>(staleAfter: .seconds(60), clock: clock)
      let before = clock.readings
      publisher.startLoading()
      publisher.setError(Failure.offline)
      publisher.reset()
      #expect(!publisher.isStale)
      #expect(clock.readings == before)
      publisher.updateData(1)
      #expect(clock.readings == before + 1)
      #expect(!publisher.isStale)
      #expect(clock.readings == before + 2)
    }

    @Test("the clock is read while nothing is locked: it may look at the publisher")
    func required_1_04_clock() {
      let clock = CountingClock()
      let publisher = Publisher<Int>(staleAfter: .seconds(60), clock: clock)
      let phases = Locked<[LoadPhase]>([])
      clock.whenRead { [weak publisher] in
        guard let phase = publisher?.state.phase else { return }
        phases.withLock { $0.append(phase) }
      }
      publisher.updateData(1)
      #expect(!publisher.isStale)
      #expect(phases.withLock { $0 } == [.unknown, .loaded])
    }
  }
}
