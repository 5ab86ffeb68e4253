import SubPub
import SubPubTesting
import Testing

// Rule 5.22: publishers without their transitions.
extension Section5LoadTests {
  @MainActor
  final class Screen: MainActorSubscriber, MainActorTypedSubscriber {
    var (untyped, typed, closure, observed): ([UInt64], [UInt64], [State], [UInt64]) = ([], [], [], [])

    func receive(_ publication: any AnyPublication) { untyped.append(publication.version) }
    func receive(_ publication: Publication<Int>) { typed.append(publication.version) }
  }

  actor Store {
    var states: [State] = []

    func append(_ state: State) { states.append(state) }
  }

  /// The same publisher, handed out in each way.
  enum Handout: String, CaseIterable, Codable, Sendable {
    case readOnly, mapped, combined

    func make(of publisher: Publisher<Int>) -> ReadOnlyPublisher<Int> {
      switch self {
      case .readOnly: publisher.readOnly
      case .mapped: publisher.map { $0 }
      case .combined: combining(publisher.readOnly)
      }
    }
  }

  static let threeStates: [State] = [.unknown, .loading(previous: nil), .loaded(1)]

  @Test("every way to subscribe to a read-only publisher receives every state", arguments: Handout.allCases)
  @MainActor func required_5_22_subscribing(as handout: Handout) async throws {
    let publisher = Publisher<Int>()
    let handedOut = handout.make(of: publisher)
    let (typed, untyped, closure) = (Recorder<Int>(), Listener(), Recorder<Int>())
    let (screen, store, observed) = (Screen(), Store(), Recorder<Int>())
    handedOut.subscribe(typed, on: .background)
    handedOut.subscribe(untyped, on: .immediate)
    handedOut.subscribe(closure, on: .background) { $0.receive($1) }
    handedOut.subscribe(screen as any MainActorSubscriber)
    handedOut.subscribe(screen)
    handedOut.subscribe(screen) { screen, state in screen.closure.append(state) }
    handedOut.subscribe(store) { store, state in store.append(state) }
    let observations = [
      handedOut.observe(on: .background) { observed.receive($0) },
      handedOut.observe { screen.observed.append($0.version) },
    ]
    #expect((handedOut.subscriberCount, handedOut.subscriptions.count) == (9, 9))
    // One after the other, so that a drain sees the replays, too.
    await handedOut.drain()
    publisher.startLoading()
    publisher.updateData(1)
    await publisher.drain()
    try await handedOut.drain(within: .seconds(3_600))

    #expect((typed.publications.map(\.version), typed.states) == ([0, 1, 2], Self.threeStates))
    #expect(typed.publications.allSatisfy { $0.source == handedOut.id })
    #expect((untyped.versions(of: handedOut.id), closure.states) == ([0, 1, 2], Self.threeStates))
    #expect((screen.untyped, screen.typed) == ([0, 1, 2], [0, 1, 2]))
    #expect((screen.closure, screen.observed) == (Self.threeStates, [0, 1, 2]))
    #expect(await store.states == Self.threeStates)
    #expect(observed.states == Self.threeStates)
    #expect(handedOut.unsubscribe(typed) == .quiescent)
    #expect((handedOut.unsubscribe(typed), handedOut.subscriberCount) == (.alreadyCancelled, 8))
    withExtendedLifetime(observations) {}
  }

  @Test("every sequence of a read-only publisher gives every state", arguments: Handout.allCases)
  func required_5_22_sequences(as handout: Handout) async throws {
    let publisher = Publisher<Int>()
    let handedOut = handout.make(of: publisher)
    var states = handedOut.states().makeAsyncIterator()
    var values = handedOut.values(buffering: .latest).makeAsyncIterator()
    var publications = handedOut.publications(buffering: .newest(3)).makeAsyncIterator()
    publisher.startLoading()
    publisher.updateData(1)
    for state in Self.threeStates { #expect(await states.next() == state) }
    #expect(await values.next() == 1)
    for version in 0...2 { #expect(await publications.next()?.version == UInt64(version)) }
    #expect(try await handedOut.value() == 1)
  }

  @Test("a read-only publisher is the publisher that it hands out")
  func required_5_22_identity() {
    let clock = ManualClock()
    let publisher = Publisher<Int>(label: "numbers", staleAfter: .seconds(10), clock: clock)
    let readOnly = publisher.readOnly
    publisher.updateData(1, age: .seconds(4))
    #expect((readOnly.id, readOnly.label, readOnly.state) == (publisher.id, "numbers", .loaded(1)))
    #expect(readOnly.current === publisher.current)
    #expect((readOnly.staleAfter, readOnly.age(of: readOnly.current)) == (.seconds(10), .seconds(4)))
    #expect(!readOnly.isStale)
    clock.advance(by: .seconds(6))
    #expect((readOnly.isStale, "\(readOnly)") == (true, "ReadOnlyPublisher<Int>(numbers 1: loaded(1))"))
  }

  @Test("waiting for a value keeps no publisher alive")
  func required_5_22_3_06_value() throws {
    let source = Publisher<Int>()
    var mapped: ReadOnlyPublisher<Int>? = source.map { $0 }
    let id = try #require(mapped?.id)
    let waiting = Trial { [weak mapped] in try await mapped?.value() ?? 0 }.run()
    #expect(mapped?.subscriberCount == 1)
    mapped = nil
    #expect(source.subscriberCount == 0)
    waiting.run()
    #expect(waiting.error as? PublisherEnded == PublisherEnded(source: id))
  }
}
