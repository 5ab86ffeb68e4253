import SubPub
import SubPubTesting
import Testing

@Suite(
  "Section 1: the transitions of a publisher have one order and wait for nobody", .serialized, .timeLimit(.minutes(1)))
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
    case .error: publisher.setState(.error(Operation.Failure.offline, previous: 1))
    }
  }

  // MARK: 1.01

  @Test("a new publisher is unknown at version 0, which is replayed on every context", arguments: ContextKind.allCases)
  func required_1_01_new(kind: ContextKind) async throws {
    #expect(publisher.current.version == 0)
    #expect(publisher.state == .unknown)
    publisher.subscribe(recorder, on: makePlace(kind).context)
    try await recorder.wait(count: 1)
    #expect(recorder.states == [.unknown])
    #expect(recorder.publications.map(\.version) == [0])
  }

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

  @Test("an update that throws is no transition", arguments: ContextKind.allCases)
  func required_1_01_throwingUpdate(kind: ContextKind) async throws {
    publisher.subscribe(recorder, on: makePlace(kind).context)
    #expect(throws: Operation.Failure.offline) { try publisher.update { _ in throw Operation.Failure.offline } }
    #expect(publisher.current.version == 0)
    publisher.update { $0 }
    await publisher.drain()
    #expect(recorder.publications.map(\.version) == [0, 1])
  }

  @Test("updateData(ifChanged:) is a transition only if the value differs from the loaded one")
  func required_1_01_ifChanged() {
    publisher.subscribe(recorder, on: .immediate)
    for number in 1...2 {
      #expect(publisher.updateData(ifChanged: number))
      #expect(!publisher.updateData(ifChanged: number))
      #expect(publisher.current.version == UInt64(number))
    }
    #expect(recorder.states == [.unknown, .loaded(1), .loaded(2)])
  }

  @Test("a previous value does not count as a loaded one", arguments: [LoadPhase.unknown, .loading, .error])
  func required_1_01_ifChangedPrevious(phase: LoadPhase) {
    publish(phase)
    #expect(publisher.updateData(ifChanged: 1))
    #expect(publisher.current.version == 2)
    #expect(publisher.state == .loaded(1))
  }

  @Test("state and version are read together while two threads publish")
  func stochastic_1_01_together() async throws {
    let (publisher, faults) = (publisher, Event())
    publisher.updateData(0)
    try await Race.run(threads: 4) { thread in
      var last: UInt64 = 0
      for _ in 0..<2_000 {
        if thread < 2 { publisher.update { .loaded(($0.value ?? 0) + 1) } }
        let current = publisher.current
        // The value counts the versions after the first.
        if current.state.value != Int(current.version) - 1 || current.version < last { faults.happen() }
        last = current.version
      }
    }
    #expect(faults.count == 0)
    #expect(publisher.current.version == 4_001)
  }

  // MARK: 1.05

  @Test(
    "publishing and subscribing run no subscriber's code on the calling thread", arguments: ContextKind.asynchronous)
  func required_1_05_notOnThisThread(kind: ContextKind) async throws {
    let (place, publisher, calls) = (makePlace(kind), publisher, CallTracker())
    let subscribe: @Sendable () -> Void = {
      publisher.subscribe(calls, on: place.context) { calls, _ in calls.noteDelivery() }
    }
    let callEverything: @Sendable () -> Void = {
      for operation in Operation.allCases { calls.track { operation.perform(at: publisher) } }
      calls.track(subscribe)
    }
    subscribe()
    try await OwnThread.run(callEverything)
    try await place.run(callEverything)
    await publisher.drain()
    #expect(calls.deliveries > 2 * Operation.allCases.count)
    #expect(calls.insideCalls == 0)
  }

  // MARK: 1.06

  @Test("every operation that isn't async can be called on every context", arguments: ContextKind.allCases)
  func required_1_06_anyContext(kind: ContextKind) async throws {
    let (place, publisher, recorder) = (makePlace(kind), publisher, recorder)
    try await place.run {
      if kind != .immediate { #expect(place.isHere) }
      Self.callEverything(of: publisher, recorder, on: place.context)
    }
    #expect(publisher.current.version == 9)
  }

  @Test("every operation that isn't async can be called inside a delivery", arguments: ContextKind.allCases)
  func required_1_06_insideDelivery(kind: ContextKind) async throws {
    let (place, publisher, recorder, done) = (makePlace(kind), publisher, recorder, Event())
    publisher.subscribe(makeListener(), on: place.context, buffering: .unbounded) { [weak publisher] _, state in
      guard let publisher, state == .unknown, publisher.current.version == 0 else { return }
      Self.callEverything(of: publisher, recorder, on: place.context)
      done.happen()
    }
    try await done.wait()
    #expect(publisher.current.version == 9)
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
