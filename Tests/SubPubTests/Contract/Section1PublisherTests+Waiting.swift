import SubPub
import SubPubTesting
import Testing

// Rule 1.05.
extension Section1PublisherTests {
  @Test("every operation returns while a subscriber is held in its code", arguments: ContextKind.holdable)
  func required_1_05_heldSubscriber(kind: ContextKind) async throws {
    let (place, publisher, held) = (Place(kind), publisher, HeldRecorder())
    defer { held.gate.open() }
    publisher.subscribe(held, on: place.context)
    await held.hold(publisher)
    try await OwnThread.run {
      for operation in Operation.allCases { operation.perform(at: publisher) }
      publisher.updateData(ifChanged: 9)
    }
    #expect(publisher.current.version == UInt64(Operation.allCases.count) + 2)
    #expect(held.versions.last == 1)
    held.gate.open()
    await publisher.drain()
    #expect(held.versions == Array(0...publisher.current.version))
  }

  @Test(
    "no publishing call runs a subscriber's code on its own thread, and no subscribe does, unless it asked for that",
    arguments: ContextKind.asynchronous)
  func required_1_05_notOnThisThread(kind: ContextKind) async throws {
    let (place, publisher) = (Place(kind), publisher)
    let caller = CallerMark()
    publisher.subscribe(caller, on: place.context) { caller, _ in caller.note() }
    // From a foreign thread, and from the context itself.
    try await OwnThread.run {
      for operation in Operation.allCases { caller.during { operation.perform(at: publisher) } }
      caller.during { publisher.subscribe(caller, on: place.context) { caller, _ in caller.note() } }
    }
    try await place.run {
      for operation in Operation.allCases { caller.during { operation.perform(at: publisher) } }
      caller.during { publisher.subscribe(caller, on: place.context) { caller, _ in caller.note() } }
    }
    await publisher.drain()
    #expect(caller.deliveries > 2 * Operation.allCases.count)
    #expect(caller.insideCalls == 0)
  }

  @Test("who asked for immediate delivery is called on the publishing thread")
  func required_1_05_immediate() {
    let caller = CallerMark()
    caller.during { _ = publisher.subscribe(caller, on: .immediate) { caller, _ in caller.note() } }
    for operation in Operation.allCases { caller.during { operation.perform(at: publisher) } }
    #expect(caller.insideCalls == Operation.allCases.count + 1)
    #expect(caller.deliveries == caller.insideCalls)
  }
}
