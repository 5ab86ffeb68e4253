import SubPub
import SubPubTesting
import Testing

@Suite(
  "Section 1: the transitions of a publisher have one order and wait for nobody", .serialized, .hangLimit)
struct Section1PublisherTests: ContractSuite {
  let lifetime = TestLifetime()
  let publisher = Publisher<Int>()
  let recorder = Recorder<Int>()

  static let phases: [LoadPhase] = [.unknown, .loading, .loaded, .error]

  /// Makes one transition to a phase.
  private func publish(_ phase: LoadPhase) {
    switch phase {
    case .unknown: publisher.reset()
    case .loading: publisher.setState(.loading(previous: 1))
    case .loaded: publisher.updateData(1)
    case .error: publisher.setState(.error(Failure.offline, previous: 1))
    }
  }

  // MARK: 1.01

  @Test("every operation is a transition in every phase, even without a change", arguments: Operation.allCases, phases)
  func required_1_01_operation(operation: Operation, phase: LoadPhase) {
    publish(phase)
    publisher.subscribe(recorder, on: .immediate)
    for version in UInt64(2)...4 {
      operation.perform(at: publisher)
      #expect(publisher.current.version == version)
      #expect(recorder.publications.last === publisher.current)
    }
    #expect(recorder.publications.map(\.version) == [1, 2, 3, 4])
  }

  @Test(
    "a new publisher is unknown at version 0, which is replayed, and an update that throws is no transition",
    arguments: ContextKind.allCases)
  func required_1_01_newAndThrowing(kind: ContextKind) async throws {
    publisher.subscribe(recorder, on: makePlace(kind).context)
    #expect(throws: Failure.offline) { try publisher.update { _ in throw Failure.offline } }
    #expect(publisher.current.version == 0)
    publisher.update { $0 }
    await publisher.drain()
    #expect(recorder.publications.map(\.version) == [0, 1])
    #expect(recorder.states == [.unknown, .unknown])
  }

  @Test("updateData(ifChanged:) is a transition only if the value differs from the loaded one", arguments: phases)
  func required_1_01_ifChanged(phase: LoadPhase) {
    publish(phase)
    #expect(publisher.updateData(ifChanged: 1) == (phase != .loaded))
    #expect(publisher.updateData(ifChanged: 2))
    #expect(!publisher.updateData(ifChanged: 2))
    #expect(publisher.current.version == (phase == .loaded ? 2 : 3))
    #expect(publisher.state == .loaded(2))
  }

  // MARK: 1.05

  @Test(
    "immediate deliveries run inside the call, and all others later on their context", arguments: ContextKind.allCases)
  func required_1_05_notOnThisThread(kind: ContextKind) async throws {
    let (place, publisher, caller) = (makePlace(kind), publisher, Locked<ThreadToken?>(nil))
    // For each delivery, whether it ran inside a tracked call.
    let inside = Journal<Bool>()
    @Sendable func track(_ body: () -> Void) {
      let before = inside.entries.count
      caller.withLock { $0 = .current }
      body()
      caller.withLock { $0 = nil }
      if kind == .immediate { #expect(inside.entries.count > before) }
    }
    let callEverything: @Sendable () -> Void = {
      track {
        publisher.subscribe(inside, on: place.context) { inside, _ in
          #expect(place.isHere)
          inside.add(caller.snapshot == .current)
        }
      }
      for operation in Operation.allCases { track { operation.perform(at: publisher) } }
    }
    try await OwnThread.run(callEverything)
    try await place.run(callEverything)
    await publisher.drain()
    #expect(inside.entries.count == 3 * Operation.allCases.count + 2)
    #expect(inside.entries.allSatisfy { $0 == (kind == .immediate) })
  }

  // MARK: 1.06

  @Test("every operation that isn't async can be called anywhere, also in a delivery", arguments: ContextKind.allCases)
  func required_1_06_insideDelivery(kind: ContextKind) async throws {
    let (place, publisher, recorder, done) = (makePlace(kind), publisher, recorder, Event())
    try await place.run {
      if kind != .immediate { #expect(place.isHere) }
      Self.callEverything(of: publisher, recorder, on: place.context)
    }
    #expect(publisher.current.version == 9)
    publisher.subscribe(makeListener(), on: place.context) { [weak publisher] _, _ in
      guard let publisher, publisher.current.version == 9 else { return }
      Self.callEverything(of: publisher, recorder, on: place.context)
      done.happen()
    }
    try await done.wait()
    #expect(publisher.current.version == 18)
  }

  /// Makes nine transitions, and calls everything else.
  static func callEverything(of publisher: Publisher<Int>, _ recorder: Recorder<Int>, on context: DeliveryContext) {
    let subscription = publisher.subscribe(recorder, on: context)
    for operation in Operation.allCases { operation.perform(at: publisher) }
    publisher.updateData(ifChanged: 5)
    publisher.updateData(6, age: .seconds(1))
    _ = (publisher.state, publisher.current, publisher.isStale, publisher.label, publisher.id, publisher.staleAfter)
    _ = (publisher.subscriberCount, publisher.subscriptions, publisher.description)
    _ = (publisher.states().makeAsyncIterator(), publisher.values().makeAsyncIterator())
    _ = (subscription.statistics, subscription.isActive, subscription.description)
    subscription.cancel()
    publisher.subscribe(recorder, on: context) { _, _ in }
    #expect(publisher.unsubscribe(recorder) != .alreadyCancelled)
  }
}
