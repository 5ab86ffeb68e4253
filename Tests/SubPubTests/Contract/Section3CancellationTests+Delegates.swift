import SubPub
import SubPubTesting
import Testing

// Section 3 for explicit publishers and delegates.
extension Section3CancellationTests {
  @Test("remove and unsubscribe return .inFlight, and then .alreadyCancelled", arguments: ContextKind.holdable)
  func required_3_01_3_02_facesInFlight(kind: ContextKind) async throws {
    let (place, recorder) = (makePlace(kind), recorder)
    let group = MulticastDelegate<Recorder<Int>>()
    let (gate, explicitGate) = (makeGate(), makeGate())
    let explicit = ExplicitPublisher<Int, Recorder<Int>>(publisher) { recorder, state in
      explicitGate.pass()
      recorder.receive(state)
    }
    OwnThread.start {
      group.add(recorder, on: place.context)
      group.call { recorder in
        gate.pass()
        recorder.receive(.loaded(1))
      }
    }
    try await gate.waitUntilHeld()
    // If the context has one thread, this waits for the gate.
    let other = Recorder<Int>()
    OwnThread.start { explicit.subscribe(other, on: place.context) }
    group.call { $0.receive(.loaded(2)) }
    #expect(try await OwnThread.result { group.remove(recorder) } == .inFlight)
    #expect(group.remove(recorder) == .alreadyCancelled)
    gate.open()
    try await explicitGate.waitUntilHeld()
    publisher.updateData(1)
    #expect(try await OwnThread.result { explicit.unsubscribe(other) } == .inFlight)
    #expect(explicit.unsubscribe(other) == .alreadyCancelled)
    explicitGate.open()
    try await other.wait(count: 1)
    try await recorder.wait(count: 1)
    group.call { $0.receive(.loaded(3)) }
    publisher.updateData(2)
    try await place.run {}
    #expect(recorder.states == [.loaded(1)])
    #expect(other.states == [.unknown])
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
