import SubPub
import SubPubTesting
import Testing

// Rule 3.05: when closures, subscribers and payloads are released. Every test keeps the `Subscription`.
extension Section3CancellationTests {
  @Test("a quiescent cancel releases the closure in a held lane", arguments: ContextKind.holdableShared)
  func required_3_05_closureBehindHeld(kind: ContextKind) async throws {
    let (held, deaths) = (try await HeldDelivery(on: kind), Deaths())
    let subscription = held.publisher.subscribe(recorder, on: held.place.context, capturing: deaths) { $0.receive($1) }
    held.publisher.updateData(2)
    #expect(subscription.statistics.pending == 2)
    #expect(deaths.count == 0)
    #expect(try await OwnThread.result { subscription.cancel() } == .quiescent)
    #expect(deaths.count == 1)
    #expect(held.gate.held == 1)
    await held.release()
    #expect(held.recorder.states == [.unknown, .loaded(1), .loaded(2)])
    #expect(recorder.states == [])
    withExtendedLifetime(subscription) {}
  }

  @Test("after reentrant the closure is released when the round has ended", arguments: ManualPlace.Kind.allCases)
  func required_3_05_closureReentrant(kind: ManualPlace.Kind) {
    let (place, deaths) = (ManualPlace(kind), Deaths())
    let (own, found) = (Locked<Subscription?>(nil), Locked<[Int]>([]))
    // Joins first, so that it comes first in the round after.
    publisher.subscribe(recorder, on: place.context) { _, _ in found.withLock { $0.append(deaths.count) } }
    let subscription = publisher.subscribe(recorder, on: place.context, capturing: deaths) { [publisher] _, state in
      guard state == .loaded(1) else { return }
      publisher.updateData(2)
      #expect(own.withLock { $0 }?.cancel() == .reentrant)
    }
    own.withLock { $0 = subscription }
    place.serve()
    publisher.updateData(1)
    place.serve()
    #expect(deaths.count == 1)
    // On an executor each subscription has a lane and rounds of its own.
    if kind != .executor { #expect(found.withLock { $0 } == [0, 0, 1]) }
    #expect(publisher.subscriberCount == 1)
    own.withLock { $0 = nil }
  }

  @Test("a publisher that is released in a round that is handed back delivers its last state to all, and ends")
  func required_3_06_2_04_2_08_releasedInRound() {
    let (host, holder) = (ManualHost(), Locked<Publisher<Int>?>(Publisher<Int>()))
    // More than a time slice has deliveries.
    let (subscribers, release) = ((0..<600).map { _ in Event() }, { @Sendable in _ = holder.withLock { $0.take() } })
    let subscriptions = subscribers.compactMap { subscriber in
      holder.withLock { $0 }?.subscribe(subscriber, on: .actor(host), buffering: .latest) { subscriber, _ in
        subscriber.happen()
        release()
      }
    }
    host.executor.runAll()
    #expect(subscribers.allSatisfy { $0.count == 1 })
    #expect(subscriptions.allSatisfy { $0.end == .publisherEnded })
  }

  // MARK: payloads; every test keeps the publisher, too, which holds its current state

  private func publish(_ count: Int, _ deaths: Deaths, at publisher: Publisher<Token>) {
    for _ in 1...count { publisher.updateData(deaths.makeToken()) }
  }

  @Test("a quiescent cancel releases pending payloads", arguments: ContextKind.stoppable, BufferingPolicy.oneOfEach)
  func required_3_05_payloadsPending(kind: ContextKind, policy: BufferingPolicy) async throws {
    let (place, deaths, publisher) = (makePlace(kind), Deaths(), keep(Publisher<Token>()))
    try await place.whileStopped {
      let subscription = keep(
        publisher.subscribe(makeListener(), on: place.context, buffering: policy) { _, _ in })
      publish(5, deaths, at: publisher)
      // Version 0 has no payload.
      let rest = policy.rest(of: Array(0...5)).filter { $0 > 0 }
      #expect(deaths.count == 5 - rest.count)
      #expect(subscription.cancel() == .quiescent)
      #expect(deaths.count == 4)
    }
    await publisher.drain()
  }

  /// Where the states are at the time of the cancel.
  enum Backlog: String, CaseIterable, Codable, Sendable { case lane, batch }

  @Test("after reentrant pending payloads die with the round", arguments: ManualPlace.Kind.allCases, Backlog.allCases)
  func required_3_05_payloadsReentrant(kind: ManualPlace.Kind, backlog: Backlog) {
    let (place, deaths, publisher) = (ManualPlace(kind), Deaths(), keep(Publisher<Token>()))
    let calls = Event()
    let subscription = publisher.subscribe(calls, on: place.context) { calls, _ in
      calls.happen()
      if calls.count == 1 { for _ in 1...5 { publisher.updateData(deaths.makeToken()) } }
      if calls.count == (backlog == .lane ? 1 : 2) { #expect(publisher.unsubscribe(calls) == .reentrant) }
    }
    place.serve()
    #expect(calls.count == (backlog == .lane ? 1 : 2))
    #expect(deaths.count == 4)
    withExtendedLifetime(subscription) {}
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
}
