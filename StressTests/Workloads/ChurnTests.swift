import Testing

extension StressTests {
  /// Every thread publishes, subscribes, cancels and releases at random; subscribers, and actors that are contexts, die
  /// meanwhile.
  @Test("a new subscriber gets the current state and all later ones, a dead one nothing, and nothing keeps one alive")
  func stochastic_1_02_1_03_2_01_2_05_2_06_3_01_3_02_3_05_3_07_churn() async {
    await Workload.churn.run { round in
      let (tested, deaths) = (PublisherUnderTest(), Countdown())
      var subscribers = Subscribers(of: tested)
      subscribers.addReference()
      let (groups, calls) = await round.play { _, random, caller in
        var group = Subscribers(of: tested)
        for _ in 0..<200 {
          switch random.draw(32) {
          case 0...8: for _ in 0..<random.draw(8) { caller.publish(tested.publisher, &random) }
          case 9...18: group.add(.draw(&random))
          case 19: group.cancel(&random)
          case 20: group.unsubscribe(&random)
          case 21...24: group.release(&random)
          case 25: group.read(&random, limit: random.draw(50))
          case 26: _ = tested.publisher.subscriberCount
          case 27: group.subscribeAgain(&random)
          case 28: group.ended.append(Self.unsubscribeInDeinit(tested, &random))
          case 29:
            let death = ActorDeath(deaths)
            let actor: any Actor = random.draw(2) == 0 ? ShortLivedActor(death) : ShortLivedQueueActor(death)
            group.ended.append(Self.subscribe(to: tested, on: actor, death))
          default: group.readStatistics(&random)
          }
        }
        return group
      }
      subscribers += groups
      let result = RoundResult(histories: [await subscribers.history(of: tested, calls: calls)])
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
