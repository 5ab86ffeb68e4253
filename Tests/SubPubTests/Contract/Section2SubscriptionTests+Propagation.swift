import SubPub
import SubPubTesting
import Testing

// Rule 2.10: values that travel with a state.
extension Section2SubscriptionTests {
  enum Caller {
    @TaskLocal static var name = "none"
    @TaskLocal static var number = 0
  }

  private static let contexts: [PropagatedContext] = [.taskLocal(Caller.$name), .taskLocal(Caller.$number)]

  /// Records the values that a delivery sees.
  private final class Witness: Sendable {
    let seen = Recorder<String>()
    func look() { seen.receive(.loaded("\(Caller.name) \(Caller.number)")) }
    var values: [String] { seen.states.compactMap(\.value) }
  }

  @Test("every delivery sees the values of its publish, on every context", arguments: ContextKind.allCases)
  func required_2_10_propagated(kind: ContextKind) async throws {
    let (place, witness) = (makePlace(kind), Witness())
    let publisher = Publisher<Int>(propagating: Self.contexts)
    publisher.subscribe(witness, on: place.context) { witness, _ in witness.look() }
    Caller.$name.withValue("one") { publisher.updateData(1) }
    Caller.$number.withValue(2) {
      publisher.startLoading()
      publisher.setError(Failure.offline)
      publisher.republish()
      publisher.update { $0 }
      publisher.updateData(ifChanged: 2)
    }
    publisher.reset()
    try await witness.seen.wait(count: 8)
    #expect(witness.values == ["none 0", "one 0", "none 2", "none 2", "none 2", "none 2", "none 2", "none 0"])
  }

  @Test("sequences provide them, and so do derived publishers, whoever makes the transition")
  func required_2_10_5_22_sequencesAndDerived() async throws {
    let publisher = Publisher<Int>(propagating: Self.contexts)
    let other = Publisher<Int>()
    let all: [ReadOnlyPublisher<Int>] = [
      publisher.map { $0 }, combining(publisher, other).map { $0.0 }, publisher.switchingToLatest { _ in other },
      other.switchingToLatest { _ in other }.mapState { $0 },
    ]
    other.updateData(0)
    let witnesses = all.map { derived in
      let witness = Witness()
      derived.subscribe(witness, on: makePlace(.queue).context) { witness, _ in witness.look() }
      return keep(witness)
    }
    for derived in all { await derived.drain() }
    Caller.$name.withValue("one") { publisher.updateData(1) }
    for derived in all { await derived.drain() }
    #expect(witnesses.map { $0.values.last } == ["one 0", "one 0", "one 0", "none 0"])
    var iterator = publisher.publications().makeAsyncIterator()
    let publication = try #require(await iterator.next())
    #expect(publication.withPropagatedContext { Caller.name } == "one")
    #expect(await publication.withPropagatedContext { await Task { Caller.name }.value } == "one")
    #expect(throws: Failure.offline) {
      try publication.withPropagatedContext { throw Failure.offline }
    }
    #expect(other.current.withPropagatedContext { Caller.name } == "none")
    #expect(Caller.name == "none")
  }

  @Test("what a derived publisher begins with has the values of the state that caused it, and so has its transform")
  func required_2_10_5_22_begin() async {
    let (publisher, transforms) = (Publisher<Int>(propagating: Self.contexts), Witness())
    let other = Publisher<Int>(initial: 0)
    Caller.$name.withValue("one") { publisher.updateData(1) }
    Caller.$name.withValue("two") {
      let all: [ReadOnlyPublisher<Int>] = [
        publisher.map {
          transforms.look()
          return $0
        },
        publisher.switchingToLatest { _ in
          transforms.look()
          return other
        },
        combining(other, publisher).map { $0.0 },
      ]
      let witness = Witness()
      for derived in all {
        let derivedOfDerived = derived.compactMap { $0 }
        derivedOfDerived.subscribe(witness, on: .immediate, ifDuplicate: .allow) { witness, _ in witness.look() }
      }
      #expect(witness.values == ["one 0", "one 0", "one 0"])
    }
    #expect(transforms.values == ["one 0", "one 0"])
  }

  @Test("of several sources each propagates what it is told to, and the followed publisher does, too")
  func required_2_10_5_22_severalSources() async {
    // A clock doesn't switch the others' values off.
    let timed = Publisher<Int>(clock: ManualClock())
    let named = Publisher<Int>(propagating: [.taskLocal(Caller.$name)])
    let numbered = Publisher<Int>(propagating: [.taskLocal(Caller.$number)])
    let place = makePlace(.queue)
    let both = combining(timed, named, numbered)
    let switched = timed.switchingToLatest { _ in numbered }
    let (witness, seen) = (Witness(), Witness())
    both.subscribe(witness, on: place.context) { witness, _ in witness.look() }
    switched.subscribe(seen, on: place.context) { seen, _ in seen.look() }
    await both.drain()
    Caller.$name.withValue("one") {
      Caller.$number.withValue(1) {
        timed.updateData(0)
        named.updateData(1)
        numbered.updateData(2)
      }
    }
    await both.drain()
    await switched.drain()
    #expect(witness.values == ["none 0", "none 0", "one 0", "none 1"])
    #expect(seen.values == ["none 0", "none 0", "none 1"])
  }

  @Test("a load's attempts and states have the values of the caller that began it")
  func required_2_10_5_03_load() async throws {
    let (witness, loads) = (Witness(), Witness())
    var options = LoadingOptions<Int>(retry: RetryPolicy(maxAttempts: 2) { _, _ in .zero })
    options.propagating = Self.contexts
    let count = Locked(0)
    let manager = LoadingManager(options) {
      loads.look()
      if count.withLock({ count in
        count += 1; return count
      }) == 1 {
        throw Failure.offline
      }
      return 1
    }
    manager.publisher.subscribe(witness, on: .immediate) { witness, _ in witness.look() }
    await Caller.$name.withValue("first") { _ = await manager.refresh() }
    #expect(loads.values == ["first 0", "first 0"])
    #expect(witness.values == ["none 0", "first 0", "first 0"])
  }

  @Test("the values of concurrent publishes stay with their states", arguments: ContextKind.allCases)
  func stochastic_2_10_concurrent(kind: ContextKind) async throws {
    let (place, publisher) = (makePlace(kind), Publisher<Int>(propagating: Self.contexts))
    let mapped = publisher.map { $0 }
    let mismatches = Locked(0)
    let check: @Sendable (Recorder<Int>, LoadState<Int>) -> Void = { recorder, state in
      if state.value ?? 0 != Caller.number { mismatches.withLock { $0 += 1 } }
      recorder.receive(state)
    }
    publisher.subscribe(recorder, on: place.context, handler: check)
    let other = keep(Recorder<Int>())
    mapped.subscribe(other, on: place.context, handler: check)
    try await Race.run(threads: 3) { thread in
      for number in 1...500 {
        let value = 1_000 * thread + number
        Caller.$number.withValue(value) { publisher.updateData(value) }
      }
    }
    await publisher.drain()
    await mapped.drain()
    #expect(recorder.states.count == 1_501)
    #expect(other.states.last == recorder.states.last)
    #expect(mismatches.withLock { $0 } == 0)
  }
}
