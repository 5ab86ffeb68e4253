import Testing

extension StressTests {
  /// Subscribers, and actors that are contexts, die while states are published.
  @Test("a dead subscriber gets nothing, and nothing keeps one alive")
  func stochastic_2_05_3_01_3_05_lifetime() async {
    await Workload.lifetime.run { round in
      let deaths = Countdown()
      let result = await Self.churn(round) { tested, random, caller, group in
        for generation in 0..<30 {
          for _ in 0..<8 { group.add(.draw(&random)) }
          if random.draw(2) == 0 { group.ended.append(Self.unsubscribeInDeinit(tested, &random)) }
          let death = ActorDeath(deaths)
          let actor: any Actor = generation % 2 == 0 ? ShortLivedActor(death) : ShortLivedQueueActor(death)
          group.ended.append(Self.subscribe(to: tested, on: actor, death))
          for _ in 0..<(2 + random.draw(12)) { caller.publish(tested.publisher, &random) }
          for _ in 0..<(random.draw(3) == 0 ? 8 : 6) {
            group.release(&random)
            if random.draw(4) == 0 { caller.publish(tested.publisher, &random) }
          }
        }
      }
      result.findings.expect(await deaths.wait(), "2.05", "something holds an actor")
      return result
    }
  }

  /// Makes a subscriber that dies at once, and unsubscribes in its `deinit`.
  private static func unsubscribeInDeinit(
    _ tested: PublisherUnderTest, _ random: inout SeededGenerator
  ) -> RecordedSubscription {
    let contexts: [ContextKind] = [.background, .queue, .concurrentQueue, .immediate]
    let place = Places.draw(random.pick(contexts), &random)
    let subscription = tested.record(SubscriptionKind(at: place)) { log in
      let recorder = PlainRecorder(log, unsubscribingFrom: tested)
      return (recorder, tested.publisher.subscribe(recorder, on: place.context))
    }
    subscription.release()
    return subscription
  }

  /// Makes a subscriber whose actor dies before it does.
  private static func subscribe(
    to tested: PublisherUnderTest, on actor: any Actor, _ death: ActorDeath
  ) -> RecordedSubscription {
    withExtendedLifetime(actor) {
      let subscription = tested.subscribe(SubscriptionKind(at: Place(.actor, .actor(actor), isExclusive: true)))
      subscription.mayEnd()
      death.watched.with { $0 = subscription }
      return subscription
    }
  }
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

/// Records when an actor dies, and releases the subscriber then, so that the actor's death ends the subscription.
private final class ActorDeath: Sendable {
  private let deaths: Countdown
  let watched = Guarded<RecordedSubscription?>(nil)

  init(_ deaths: Countdown) {
    self.deaths = deaths
    deaths.expect(1)
  }

  func record() {
    let (death, watched) = (Stamp.now(), watched.value)
    watched?.note { $0.contextDeath = death }
    watched?.drop()
    deaths.arrive()
  }
}
