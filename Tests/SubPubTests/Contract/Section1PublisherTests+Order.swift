import SubPub
import SubPubTesting
import Testing

// Rules 1.02 and 1.03.
extension Section1PublisherTests {
  @Test("unbounded subscribers on all contexts see the same publications in the same order")
  func required_1_02_sameSequence() async {
    let places = ContextKind.allCases.map(makePlace)
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

  @Test("calls on different threads keep their order if one happens before the other", arguments: ContextKind.allCases)
  func required_1_02_alternatingThreads(kind: ContextKind) async throws {
    let (place, publisher) = (makePlace(kind), publisher)
    publisher.subscribe(recorder, on: place.context)
    for number in 1...50 { try await OwnThread.run { publisher.updateData(number) } }
    await publisher.drain()
    #expect(recorder.states == [.unknown] + (1...50).map { .loaded($0) })
  }

  @Test("the transitions of three threads have the same order on every context, which keeps each thread's own order")
  func stochastic_1_02_threeThreads() async throws {
    let publisher = publisher
    let places = ContextKind.allCases.map(makePlace)
    let recorders = places.map { _ in Recorder<Int>() }
    for (place, recorder) in zip(places, recorders) { publisher.subscribe(recorder, on: place.context) }
    // Many starts, because that is when threads meet; later, the thread that has the turn mostly gets the next one, too.
    let own = (0..<3).map { thread in (0..<6_000).map { thread * 1_000_000 + $0 } }
    for round in 0..<300 {
      try await Race.run(threads: 3) { thread in
        for number in own[thread][round * 20..<round * 20 + 20] { publisher.updateData(number) }
      }
    }
    for recorder in recorders { try await recorder.wait(count: 18_001) }
    let first = recorders[0].states
    for (place, recorder) in zip(places, recorders) {
      // Outside of the macro, which would look for the shortest difference of long arrays.
      let hasEveryVersion = recorder.publications.map(\.version) == Array(0...18_000)
      let hasSameOrder = recorder.states == first
      #expect(hasEveryVersion && hasSameOrder, "\(place.kind)")
    }
    for thread in 0..<3 {
      let keepsOrder = first.compactMap(\.value).filter { $0 / 1_000_000 == thread } == own[thread]
      #expect(keepsOrder)
    }
  }

  @Test("versions strictly increase under every policy", arguments: ContextKind.allCases, BufferingPolicy.oneOfEach)
  func stochastic_1_02_increase(kind: ContextKind, policy: BufferingPolicy) async throws {
    let (place, publisher) = (makePlace(kind), publisher)
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
    "the last version that a held lane delivers is the publisher's",
    arguments: ContextKind.holdable, BufferingPolicy.oneOfEach)
  func required_1_03_heldLane(kind: ContextKind, policy: BufferingPolicy) async throws {
    let (place, held) = (makePlace(kind), makeHeldRecorder())
    let subscription = publisher.subscribe(held, on: place.context, buffering: policy)
    // Otherwise a bounded buffer may drop the state that is to be held.
    await publisher.drain()
    try await held.hold(publisher)
    for number in 2...40 { publisher.updateData(number) }
    #expect(held.versions.last == 1)
    await held.release(publisher)
    #expect(publisher.current.version == 40)
    #expect(held.versions.last == 40)
    let statistics = subscription.statistics
    #expect((statistics.pending, statistics.lastVersion) == (0, 40))
    #expect(statistics.delivered == held.versions.count)
    #expect(statistics.delivered + statistics.skipped == 41)
  }

  @Test(
    "subscribers converge even if deliveries publish last", arguments: ContextKind.allCases, BufferingPolicy.oneOfEach)
  func required_1_03_fromDeliveries(kind: ContextKind, policy: BufferingPolicy) async throws {
    let (place, publisher, deliveries) = (makePlace(kind), publisher, Event())
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
