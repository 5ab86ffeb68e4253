import SubPub
import SubPubTesting
import Testing

// Section 3 for explicit publishers and delegates.
extension Section3CancellationTests {
  @Test("leaving finds a delivery in flight, and then nothing", arguments: ContextKind.holdable, [true, false])
  func required_3_01_3_02_interfacesInFlight(kind: ContextKind, isDelegate: Bool) async throws {
    let (place, recorder, gate) = (makePlace(kind), recorder, makeGate())
    let group = MulticastDelegate<Recorder<Int>>()
    let explicit = ExplicitPublisher<Int, Recorder<Int>>(publisher) { recorder, state in
      gate.pass()
      recorder.receive(state)
    }
    @Sendable func publish(_ number: Int) {
      explicit.publisher.updateData(number)
      group.call { recorder in
        gate.pass()
        recorder.receive(.loaded(number))
      }
    }
    @Sendable func leave() -> CancelOutcome { isDelegate ? group.remove(recorder) : explicit.unsubscribe(recorder) }
    OwnThread.start {
      if isDelegate { group.add(recorder, on: place.context) } else { explicit.subscribe(recorder, on: place.context) }
      publish(1)
    }
    try await gate.waitUntilHeld()
    publish(2)
    #expect(try await OwnThread.result(of: leave) == .inFlight)
    #expect(leave() == .alreadyCancelled)
    gate.open()
    try await recorder.wait(count: 1)
    publish(3)
    try await place.run {}
    #expect(recorder.states == [isDelegate ? .loaded(1) : .unknown])
  }

  @Test("on the main actor remove and unsubscribe are exact")
  @MainActor func required_3_02_3_03_mainActorInterfaces() async {
    let group = MainActorMulticastDelegate<Recorder<Int>>()
    let explicit = MainActorExplicitPublisher<Int, Recorder<Int>>(publisher) { $0.receive($1) }
    group.add(recorder)
    explicit.subscribe(recorder)
    group.call { $0.receive(.loaded(1)) }
    // Both deliveries wait until this function suspends.
    #expect(group.remove(recorder) == .quiescent)
    #expect(explicit.unsubscribe(recorder) == .quiescent)
    group.add(recorder)
    group.call { [weak group] recorder in
      recorder.receive(.loaded(2))
      group?.call { $0.receive(.loaded(3)) }
      let outcome = group?.remove(recorder)
      #expect(outcome == .reentrant)
    }
    await group.drain()
    await publisher.drain()
    #expect(group.count == 0)
    #expect(recorder.states == [.loaded(2)])
    #expect(group.remove(recorder) == .alreadyCancelled)
    #expect(explicit.unsubscribe(recorder) == .alreadyCancelled)
  }

  @Test("calls that only a removed delegate had pending die with it", arguments: ContextKind.stoppable)
  func required_3_05_calls(kind: ContextKind) async throws {
    let (place, deaths) = (makePlace(kind), Deaths())
    let group = MulticastDelegate<Recorder<Int>>()
    try await place.whileStopped {
      group.add(recorder, on: place.context)
      for _ in 1...3 {
        let captured = deaths.makeToken()
        group.call { _ in withExtendedLifetime(captured) {} }
      }
      #expect(deaths.count == 0)
      #expect(group.remove(recorder) == .quiescent)
      #expect(deaths.count == 3)
    }
  }

  @Test("a call that every delegate has had is dead", arguments: ManualPlace.Kind.allCases)
  func required_3_05_callsServed(kind: ManualPlace.Kind) {
    let (place, deaths) = (ManualPlace(kind), Deaths())
    let group = MulticastDelegate<Recorder<Int>>()
    let other = Recorder<Int>()
    for recorder in [recorder, other] { group.add(recorder, on: place.context) }
    for number in 1...300 {
      let captured = deaths.makeToken()
      group.call { recorder in withExtendedLifetime(captured) { recorder.receive(.loaded(number)) } }
    }
    place.serve()
    #expect(deaths.count == 300)
    #expect(recorder.states.count == 300)
    #expect(other.states == recorder.states)
  }

  @Test("drain() of delegates waits for the calls made before it", arguments: ContextKind.holdable)
  func required_3_07_delegates(kind: ContextKind) async throws {
    let (place, gate, group) = (makePlace(kind), makeGate(), MulticastDelegate<Recorder<Int>>())
    group.add(recorder, on: place.context)
    #expect(Trial { await group.drain() }.run().isOver)
    OwnThread.start {
      group.call { recorder in
        gate.pass()
        recorder.receive(.loaded(1))
      }
    }
    try await gate.waitUntilHeld()
    group.call { $0.receive(.loaded(2)) }
    let trial = Trial { [recorder] in
      await group.drain()
      return recorder.states
    }
    #expect(!trial.run().isOver)
    gate.open()
    #expect(try await trial.finish() == [.loaded(1), .loaded(2)])
  }
}
