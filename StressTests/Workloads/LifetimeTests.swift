import Synchronization
import Testing

extension StressTests {
  /// Subscribers, and actors that are contexts, die while states are published.
  @Test("a dead subscriber gets nothing, and nothing keeps one alive")
  func stochastic_2_05_3_01_3_05_lifetime() async {
    await Workload.lifetime.run { round in
      let deaths = Countdown()
      let result = await Self.churn(round) { tested, _, random, caller, group in
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

  /// Payloads publish, read, cancel, subscribe and unsubscribe when they are released, wherever that is.
  @Test("payloads are released outside all locks, so that they can call the library, and none is kept")
  func stochastic_1_04_3_05_payloads() async {
    await Workload.payloads.run { round in
      let (tested, side) = (PublisherUnderTest(), PublisherUnderTest())
      let releases = PayloadReleases(tested, side)
      var (subscribers, sideSubscribers) = await Threads.alone {
        var (random, all) = (round.random(50), [Subscribers(of: tested), Subscribers(of: side)])
        all[0].addReference()
        all[1].add(SubscriptionKind(at: Places[.queue][0]))
        for index in 0..<24 { all[index % 2].add(.draw(&random)) }
        return (all[0], all[1])
      }
      let (groups, calls) = await round.play { _, random, caller in
        var group = Subscribers(of: tested)
        for _ in 0..<120 {
          switch random.draw(8) {
          case 0: group.add(.draw(&random))
          case 1: group.cancel(&random)
          case 2: group.release(&random)
          default:
            let release = releases.action(&random, watching: group.live.last)
            caller.publish(tested.publisher, &random) { Payload(number: $0, whenReleased: release) }
          }
        }
        return group
      }
      subscribers += groups
      for subscription in subscribers.ended { await subscription.cancelAndWait() }
      // Replaces the last payload with an action; the others are released after their deliveries.
      var (last, random) = (Caller(1_001), round.random(60))
      last.publish(tested.publisher, &random)
      var result = RoundResult()
      result.findings.expect(await releases.open.wait(), "3.05", "payloads are kept")
      sideSubscribers.live += releases.subscriptions.value
      result.histories = [
        await subscribers.history(of: tested, calls: calls + releases.calls.value[0] + last.calls),
        await sideSubscribers.history(of: side, calls: releases.calls.value[1]),
      ]
      // A payload may be released, and publish, on any thread.
      for index in result.histories.indices { result.histories[index].isPublishedByTestThreads = false }
      return result
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

/// What payloads do when they are released.
private final class PayloadReleases: Sendable {
  /// The publisher of the payloads, and another one.
  private let publishers: [PublisherUnderTest]
  private let given = Atomic<Int>(0)
  /// Has counted the payloads that were released.
  let open = Countdown()
  /// The calls of each publisher, and subscriptions of the other one.
  let calls = Guarded<[[Call]]>([[], []])
  let subscriptions = Guarded<[RecordedSubscription]>([])

  init(_ publishers: PublisherUnderTest...) { self.publishers = publishers }

  /// Something random to do when a payload is released.
  func action(
    _ random: inout SeededGenerator, watching subscription: RecordedSubscription?
  ) -> @Sendable () -> Void {
    let number = Number.make(caller: 1_000, count: given.add(1, ordering: .relaxed).newValue)
    let seed = random.next()
    open.expect(1)
    return { [weak self] in
      self?.perform(number, SeededGenerator(seed: seed), subscription)
      self?.open.arrive()
    }
  }

  private func perform(_ number: UInt32, _ seeded: SeededGenerator, _ subscription: RecordedSubscription?) {
    var random = seeded
    switch random.draw(6) {
    case let which where which < 2:
      let (_, span) = Span.of { publishers[which].publisher.updateData(Payload(number: number)) }
      calls.with { $0[which].append(Call(span: span, number: number)) }
    case 2 where subscriptions.value.count < 40:
      let subscription = publishers[1].subscribe(.draw(&random))
      subscriptions.with { $0.append(subscription) }
    case 3: subscription?.readStatistics()
    // An object without a subscription, for which the publisher searches all the same.
    case 4: publishers[0].publisher.unsubscribe(self)
    default: _ = publishers[0].version + UInt32(publishers[0].publisher.subscriberCount)
    }
  }
}
