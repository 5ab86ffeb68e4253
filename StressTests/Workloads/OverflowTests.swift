import Dispatch
import SubPub
import SubPubTesting
import Support
import Testing

extension StressTests {
  @Test("bounds are exact, skipped states are counted, and the oldest are skipped")
  func stochastic_1_03_2_04_overflow() async { await Workload.overflow.run(Overflow.perform) }
}

/// More states than the buffers hold, for contexts that are suspended until the last state, and for slow ones.
enum Overflow {
  @Sendable static func perform(_ round: Round) async -> RoundResult {
    let (held, slow) = (PublisherUnderTest(), PublisherUnderTest())
    let places = [Place(.queue), Place(.concurrentQueue), Place(.independentQueue), .serialExecutor()]
    for place in places { place.queue?.suspend() }
    let (heldSubscribers, slowSubscribers) = await ThreadGroup.alone {
      (addHeld(held, places, round), addSlow(slow, round))
    }
    let watched = [slowSubscribers, heldSubscribers].map { $0.live.map(\.subscription) }
    let calls = await round.threads.run { index -> ([Call], [Call]) in
      var (random, heldCaller, slowCaller) = (round.random(index), Caller(index + 1), Caller(index + 1))
      for _ in 0..<60 {
        for _ in 0..<random.draw(3) { heldCaller.publish(held.publisher, &random) }
        for _ in 0..<random.draw(10) { slowCaller.publish(slow.publisher, &random) }
        for subscriptions in watched { random.pick(subscriptions).readStatistics() }
      }
      return (heldCaller.calls, slowCaller.calls)
    }
    for place in places { place.queue?.resume() }
    var history = await heldSubscribers.history(of: held, calls: calls.flatMap(\.0))
    for index in history.subscriptions.indices { history.subscriptions[index].isHeld = true }
    return RoundResult(histories: [history, await slowSubscribers.history(of: slow, calls: calls.flatMap(\.1))])
  }

  private static func addHeld(_ tested: PublisherUnderTest, _ places: [Place], _ round: Round) -> Subscribers {
    var (random, subscribers) = (round.random(50), Subscribers())
    for place in places {
      for interface in Interface.anywhere {
        subscribers.add(SubscriptionKind(at: place, interface, .draw(&random, largest: 64)), to: tested)
      }
    }
    subscribers.add(SubscriptionKind(at: places[0]), to: tested)
    return subscribers
  }

  private static func addSlow(_ tested: PublisherUnderTest, _ round: Round) -> Subscribers {
    var (random, subscribers) = (round.random(51), Subscribers())
    subscribers.addReference(to: tested)
    for _ in 0..<24 {
      let kind = SubscriptionKind.draw(&random)
      let reaction: DeliveryLog.Reaction = { _, number in BusyWait.short(number) }
      subscribers.add(kind, to: tested, reaction: kind.context == .immediate ? nil : reaction)
    }
    return subscribers
  }
}
