import SubPub
import SubPubTesting
import Testing

// Rules 2.07, 2.08 and 2.09.
extension Section2SubscriptionTests {
  // MARK: 2.07

  @Test("each state visits a lane in the order of subscribing, whoever leaves or joins", arguments: ContextKind.shared)
  func required_2_07_order(kind: ContextKind) async throws {
    let (place, publisher, visits) = (makePlace(kind), publisher, Locked<[Int]>([]))
    var members: [(number: Int, subscriber: Deaths.Token, subscription: Subscription)] = []
    func join(_ count: Int) {
      for _ in 0..<count {
        let number = (members.last?.number ?? -1) + 1
        let subscriber = Deaths().makeToken()
        let subscription = publisher.subscribe(subscriber, on: place.context) { _, _ in
          visits.withLock { $0.append(number) }
        }
        members.append((number, subscriber, subscription))
      }
    }
    var random = SeededGenerator(seed: 7)
    for round in 0..<12 {
      join(40)
      await publisher.drain()
      // Some are cancelled and some die, in the middle and at the end.
      for index in members.indices.reversed() where Int.random(in: 0..<3, using: &random) == 0 {
        if Bool.random(using: &random) { members[index].subscription.cancel() }
        members.remove(at: index)
      }
      // A count removes the entries of the dead; every other time they stay.
      if round.isMultiple(of: 2) { #expect(publisher.subscriberCount == members.count) }
      if round == 6 {
        for member in members.dropFirst(2) { member.subscription.cancel() }
        members.removeLast(members.count - 2)
      }
      visits.withLock { $0 = [] }
      for number in 1...2 { publisher.updateData(number) }
      await publisher.drain()
      let expected = members.map(\.number)
      #expect(visits.withLock { $0 } == expected + expected)
    }
  }

  // MARK: 2.08

  @Test("a held subscriber delays nobody outside of its lane", arguments: ContextKind.holdableAsynchronous)
  func required_2_08_held(kind: ContextKind) async throws {
    let (place, publisher, other) = (makePlace(kind), publisher, Publisher<Int>())
    let held = try await holdDelivery(of: publisher, on: place.context)
    var others = ContextKind.allCases.filter { $0 != .main || kind != .main }.map(makePlace)
    if ContextKind.concurrent.contains(kind) {
      others.append(place)
      other.subscribe(recorder, on: place.context)
    }
    let listeners = others.map { _ in Recorder<Int>() }
    for (other, listener) in zip(others, listeners) { publisher.subscribe(listener, on: other.independent) }
    for number in 2...10 { publisher.updateData(number) }
    for listener in listeners { try await listener.wait { $0 == .loaded(10) } }
    await other.drain()
    #expect(recorder.states == (ContextKind.concurrent.contains(kind) ? [.unknown] : []))
    #expect(held.versions.last == 1)
    await held.release(publisher)
    for listener in listeners { #expect(listener.publications.map(\.version) == Array(1...10)) }
  }

  // MARK: 2.09, which ThreadSanitizer checks best; without it the sums still have to be right

  /// A payload with plain content: its publisher writes it before the publish, and its receiver reads it.
  private final class PlainPayload: @unchecked Sendable {
    var content: Int
    init(_ content: Int) { self.content = content }
  }

  /// A subscriber with plain state that only its deliveries touch, and that is read when there are none.
  private final class PlainCounter: TypedSubscriber, @unchecked Sendable {
    private(set) var contents: [Int] = []
    func receive(_ state: LoadState<PlainPayload>) { contents.append(state.value?.content ?? 0) }
  }

  @Test("a subscriber can count in a plain variable while four threads publish", arguments: ContextKind.allCases)
  func stochastic_2_09_plainCount(kind: ContextKind) async throws {
    let (place, publisher, counter) = (makePlace(kind), Publisher<PlainPayload>(), PlainCounter())
    let subscription = publisher.subscribe(counter, on: place.context)
    try await Race.run(threads: 4) { thread in
      for number in 0..<1_000 { publisher.updateData(PlainPayload(thread * 1_000 + number)) }
    }
    await publisher.drain()
    #expect(subscription.cancel() == .quiescent)
    // The replay has no content.
    #expect(counter.contents.sorted() == [0] + Array(0..<4_000))
  }

  @Test("deliveries see what was written before each publish, in order", arguments: ContextKind.allCases)
  func required_2_09_1_02_chain(kind: ContextKind) async throws {
    let (place, publisher, counter) = (makePlace(kind), Publisher<PlainPayload>(), PlainCounter())
    let subscription = publisher.subscribe(counter, on: place.context)
    for number in 1...100 {
      let payload = PlainPayload(0)
      try await OwnThread.run {
        payload.content = number
        publisher.updateData(payload)
      }
    }
    await publisher.drain()
    await subscription.cancelAndWait()
    #expect(counter.contents == Array(0...100))
  }
}
