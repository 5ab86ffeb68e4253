import SubPub
import SubPubTesting
import Support
import Testing

extension StressTests {
  @Test("a dead subscriber gets nothing, and nothing keeps one alive")
  func stochastic_2_05_3_01_3_05_lifetime() async { await Workload.lifetime.run(Lifetime.perform) }
}

/// Subscribers, and actors that are contexts, die while states are published.
enum Lifetime {
  private static let generations = 30

  @Sendable static func perform(_ round: Round) async -> RoundResult {
    let (tested, deaths) = (PublisherUnderTest(), Countdown())
    var subscribers = Subscribers()
    subscribers.addReference(to: tested)
    let played = await round.threads.run { index in
      var (random, caller) = (round.random(index), Caller(index + 1))
      var group = ChurnGroup(tested, joiner: index + 1)
      var shortLived: [RecordedSubscription] = []
      for _ in 0..<generations {
        for _ in 0..<8 { group.subscribe(.draw(&random)) }
        if random.draw(2) == 0 {
          shortLived.append(unsubscribeInDeinit(tested, &random, by: 100 + index, order: shortLived.count))
        }
        shortLived.append(subscribeOnActor(tested, deaths, by: 200 + index, order: shortLived.count))
        for _ in 0..<(2 + random.draw(12)) { caller.publish(tested.publisher, &random) }
        for _ in 0..<(random.draw(3) == 0 ? 8 : 6) {
          group.release(&random)
          if random.draw(4) == 0 { caller.publish(tested.publisher, &random) }
        }
      }
      return (group, caller.calls, shortLived)
    }
    let others = await subscribers.take(played.map(\.0)) + played.flatMap(\.2)
    var result = RoundResult(histories: [
      await subscribers.history(of: tested, calls: played.flatMap(\.1), others: others)
    ])
    if await !deaths.wait() { result.violations = [Violation(rule: "2.05", text: "something holds an actor")] }
    return result
  }

  /// Makes a subscriber that dies at once, and unsubscribes in its `deinit`.
  private static func unsubscribeInDeinit(
    _ tested: PublisherUnderTest, _ random: inout SeededGenerator, by joiner: Int, order: Int
  ) -> RecordedSubscription {
    let contexts: [ContextKind] = [.background, .queue, .concurrentQueue, .immediate]
    let kind = SubscriptionKind(at: Places.draw(random.pick(contexts), &random))
    let log = DeliveryLog(at: kind.place)
    let subscription = tested.record(kind, log, by: joiner, order: order) {
      let recorder = UnsubscribingRecorder(log, tested)
      return (recorder, tested.publisher.subscribe(recorder, on: kind.place?.context ?? .background))
    }.subscription
    subscription.willRelease()
    return subscription
  }

  /// Makes a subscriber whose actor dies before it does.
  private static func subscribeOnActor(
    _ tested: PublisherUnderTest, _ deaths: Countdown, by joiner: Int, order: Int
  ) -> RecordedSubscription {
    let death = ActorDeath(deaths)
    let actor: any Actor = order % 2 == 0 ? ShortLivedActor(death) : ShortLivedQueueActor(death)
    return withExtendedLifetime(actor) {
      let kind = SubscriptionKind(at: Place(.actor, .actor(actor), isExclusive: true))
      let subscriber = tested.subscribe(kind, by: joiner, order: order)
      subscriber.subscription.mayEnd()
      death.watch(subscriber)
      return subscriber.subscription
    }
  }
}

/// Unsubscribes in its `deinit`.
private final class UnsubscribingRecorder: TypedSubscriber {
  private let log: DeliveryLog
  private let tested: PublisherUnderTest

  init(_ log: DeliveryLog, _ tested: PublisherUnderTest) { (self.log, self.tested) = (log, tested) }

  deinit {
    log.died()
    tested.publisher.unsubscribe(self)
  }

  func receive(_ state: LoadState<Payload>) {}
  func receive(_ publication: Publication<Payload>) { log.record(publication) }
}

private actor ShortLivedActor {
  private let death: ActorDeath
  init(_ death: ActorDeath) { self.death = death }
  deinit { death.record() }
}

/// An actor with an executor of its own, where pending jobs don't keep it alive.
private actor ShortLivedQueueActor {
  private let death: ActorDeath
  private static let executor = QueueExecutor(label: "short-lived")
  nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe Self.executor.asUnownedSerialExecutor() }
  init(_ death: ActorDeath) { self.death = death }
  deinit { death.record() }
}

/// Records when an actor dies, and holds the subscriber until then, so that the actor's death ends the subscription.
private final class ActorDeath: Sendable {
  private let deaths: Countdown
  private let watched = Guarded<LiveSubscriber?>(nil)

  init(_ deaths: Countdown) {
    self.deaths = deaths
    deaths.expect(1)
  }

  func watch(_ subscriber: LiveSubscriber) { watched.with { $0 = subscriber } }

  func record() {
    let death = Stamp.now()
    // Released outside the lock, because the subscriber may die here.
    let watched = watched.with { $0.take() }
    watched?.subscription.note { $0.contextDeath = death }
    deaths.arrive()
  }
}
