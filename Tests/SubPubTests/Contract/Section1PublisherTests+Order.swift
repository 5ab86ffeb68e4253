import SubPub
import SubPubTesting
import Testing

// Rules 1.02 and 1.03.
extension Section1PublisherTests {
  static let policies: [BufferingPolicy] = [.unbounded, .latest, .newest(1), .newest(3)]

  @Test("all unbounded subscribers, on whatever context, see the same publications in the same order")
  func required_1_02_sameSequence() async {
    let places = ContextKind.allCases.map(Place.init)
    let recorders = places.map { _ in Recorder<Int>() }
    for (place, recorder) in zip(places, recorders) { publisher.subscribe(recorder, on: place.context) }
    for _ in 0..<20 { for operation in Operation.allCases { operation.perform(at: publisher) } }
    await publisher.drain()
    for (place, recorder) in zip(places, recorders) {
      let seen = recorder.publications
      #expect(seen.map(\.version) == Array(0...UInt64(20 * Operation.allCases.count)), "\(place.kind)")
      #expect(zip(seen, recorders[0].publications).allSatisfy { $0 === $1 }, "\(place.kind)")
    }
  }

  @Test("two calls made one after the other on one thread keep their order", arguments: ContextKind.allCases)
  func required_1_02_oneThread(kind: ContextKind) async throws {
    let (place, publisher) = (Place(kind), publisher)
    publisher.subscribe(recorder, on: place.context)
    try await OwnThread.run { for number in 1...1_000 { publisher.updateData(number) } }
    await publisher.drain()
    #expect(recorder.states == [.unknown] + (1...1_000).map { .loaded($0) })
  }

  @Test("calls of two threads, of which one happens before the other, keep that order", arguments: ContextKind.allCases)
  func required_1_02_alternatingThreads(kind: ContextKind) async throws {
    let place = Place(kind)
    publisher.subscribe(recorder, on: place.context)
    for number in 1...50 {
      // A thread that starts when the one before has ended.
      try await OwnThread.run { [publisher] in publisher.updateData(number) }
    }
    await publisher.drain()
    #expect(recorder.states == [.unknown] + (1...50).map { .loaded($0) })
  }

  @Test("transitions of three threads have one order, the same on every context, which keeps each thread's own")
  func stochastic_1_02_threeThreads() async throws {
    let publisher = publisher
    let places = ContextKind.allCases.map(Place.init)
    let recorders = places.map { _ in Recorder<Int>() }
    for (place, recorder) in zip(places, recorders) { publisher.subscribe(recorder, on: place.context) }
    // Many starts: that is when threads meet. Later, whoever has the turn mostly gets the next one, too.
    let own = (0..<3).map { thread in (0..<6_000).map { thread * 1_000_000 + $0 } }
    for round in 0..<300 {
      try await Race.run(threads: 3) { thread in
        for number in own[thread][round * 20..<round * 20 + 20] { publisher.updateData(number) }
      }
    }
    for recorder in recorders { try await recorder.wait(count: 18_001) }
    let first = recorders[0].states
    for (place, recorder) in zip(places, recorders) {
      // Compared outside the macro, which would look for the shortest difference of long arrays.
      let (hasEveryVersion, hasSameOrder) = (
        recorder.publications.map(\.version) == Array(0...18_000), recorder.states == first
      )
      #expect(hasEveryVersion && hasSameOrder, "\(place.kind)")
    }
    for thread in 0..<3 {
      let keepsOrder = first.compactMap(\.value).filter { $0 / 1_000_000 == thread } == own[thread]
      #expect(keepsOrder)
    }
  }

  @Test("versions strictly increase under every policy, on every context", arguments: ContextKind.allCases, policies)
  func stochastic_1_02_increase(kind: ContextKind, policy: BufferingPolicy) async throws {
    let (place, publisher) = (Place(kind), publisher)
    let subscription = publisher.subscribe(recorder, on: place.context, buffering: policy)
    try await Race.run(threads: 2) { _ in
      for number in 0..<100 { publisher.updateData(number) }
    }
    await publisher.drain()
    let versions = recorder.publications.map(\.version)
    #expect(zip(versions, versions.dropFirst()).allSatisfy { $0 < $1 })
    #expect(versions.last == 200)
    #expect(subscription.statistics.lastVersion == 200)
  }

  @Test(
    "once publishing has stopped and the lane is idle, the last version delivered is the publisher's",
    arguments: ContextKind.holdable, policies)
  func required_1_03_heldLane(kind: ContextKind, policy: BufferingPolicy) async throws {
    let (place, publisher, held) = (Place(kind), publisher, HeldRecorder())
    defer { held.gate.open() }
    let subscription = publisher.subscribe(held, on: place.context, buffering: policy)
    // Nothing waits when the state comes that is to be held: no bound has to choose.
    await publisher.drain()
    await held.hold(publisher)
    // The lane is held: all of this waits, or is skipped.
    for number in 2...40 { publisher.updateData(number) }
    #expect(held.versions.last == 1)
    held.gate.open()
    await publisher.drain()
    #expect(publisher.current.version == 40)
    #expect(held.versions.last == 40)
    let statistics = subscription.statistics
    #expect(statistics.lastVersion == 40)
    #expect(statistics.pending == 0)
    #expect(statistics.delivered == held.versions.count)
    #expect(statistics.delivered + statistics.skipped == 41)
  }

  @Test("also when the last publishes come from inside deliveries", arguments: ContextKind.allCases, policies)
  func required_1_03_fromDeliveries(kind: ContextKind, policy: BufferingPolicy) async throws {
    let (place, publisher, deliveries) = (Place(kind), publisher, Event())
    let subscription = publisher.subscribe(recorder, on: place.context, buffering: policy)
    publisher.subscribe(deliveries, on: place.context, buffering: policy) { [weak publisher] deliveries, _ in
      deliveries.happen()
      if deliveries.count <= 30 { publisher?.updateData(deliveries.count) }
    }
    try await deliveries.wait(count: 31)
    await publisher.drain()
    #expect(publisher.current.version == 30)
    #expect(subscription.statistics.lastVersion == 30)
    #expect(recorder.states.last == .loaded(30))
  }
}
