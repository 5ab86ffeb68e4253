import SubPub
import SubPubTesting
import Support
import Testing

extension StressTests {
  @Test("publishing, subscribing and cancelling work the same inside a callback")
  func stochastic_1_02_2_01_2_07_4_01_4_02_4_03_reentrancy() async {
    await Workload.reentrancy.run(Reentrancy.perform)
  }
}

/// Every callback may publish, subscribe others, and cancel its neighbors.
enum Reentrancy {
  @Sendable static func perform(_ round: Round) async -> RoundResult {
    let tested = PublisherUnderTest()
    let actions = CallbackActions(tested)
    var subscribers = await ThreadGroup.alone {
      var (random, subscribers) = (round.random(50), Subscribers())
      subscribers.addReference(to: tested)
      for index in 0..<40 {
        let kind = index < 20 ? neighbor(index, &random) : SubscriptionKind.draw(&random)
        let reaction: DeliveryLog.Reaction = { actions.react(as: index, $0, $1) }
        if index % 4 == 3 {
          actions.addVictim(tested.subscribe(kind, by: 1, order: index, reaction: reaction))
        } else {
          subscribers.add(kind, to: tested, reaction: reaction)
        }
      }
      return subscribers
    }
    let calls = await round.threads.run { index in
      var (random, caller) = (round.random(index), Caller(index + 1))
      for _ in 0..<30 { caller.publish(tested.publisher, &random) }
      return caller.calls
    }
    let (newSubscribers, victims) = await actions.end()
    subscribers.live += newSubscribers
    var history = await subscribers.history(of: tested, calls: calls.flatMap { $0 }, others: victims)
    history.isPublishedByTestThreads = false
    history.calls += victims.flatMap(\.log.calls)
    return RoundResult(histories: [history])
  }

  /// Several subscriptions in one lane.
  private static func neighbor(_ index: Int, _ random: inout SeededGenerator) -> SubscriptionKind {
    let context = [ContextKind.immediate, .queue, .main, .concurrentQueue, .actorOnQueue][index / 4]
    return SubscriptionKind(at: Places[context][0], context == .main ? .mainTyped : .typed, .draw(&random))
  }
}

/// What subscribers do to their publisher inside their callbacks.
private final class CallbackActions: Sendable {
  private let tested: PublisherUnderTest
  private let newSubscribers = Guarded<[LiveSubscriber]>([])
  private let victims = Guarded<[LiveSubscriber]>([])
  private static let mostCalls = 8
  private static let mostSubscribers = 24

  init(_ tested: PublisherUnderTest) { self.tested = tested }

  /// Adds a subscriber that callbacks may cancel.
  func addVictim(_ subscriber: LiveSubscriber) { victims.with { $0.append(subscriber) } }

  /// The callback of the subscriber with that index, for the state with that number.
  func react(as index: Int, _ log: DeliveryLog, _ number: UInt32) {
    var random = SeededGenerator(seed: UInt64(number) << 8 | UInt64(index))
    switch random.draw(24) {
    case 0...2: publish(as: index, log)
    case 3: subscribe(as: index, &random)
    case 4: cancel(from: log, &random)
    default: break
    }
  }

  private func publish(as index: Int, _ log: DeliveryLog) {
    let count = log.calls.count
    guard count < Self.mostCalls else { return }
    let number = Number.make(caller: 100 + index, count: count + 1)
    // Recorded first, because the call may lead back to here.
    log.add(Call(span: Span(begin: Stamp.now(), end: .max), number: number))
    tested.publisher.updateData(Payload(number: number))
  }

  private func subscribe(as index: Int, _ random: inout SeededGenerator) {
    let order = newSubscribers.with { $0.count }
    guard order < Self.mostSubscribers else { return }
    let subscriber = tested.subscribe(.draw(&random), by: 1_000 + index, order: order)
    newSubscribers.with { $0.append(subscriber) }
  }

  private func cancel(from log: DeliveryLog, _ random: inout SeededGenerator) {
    let draw = random.next()
    let victim = victims.with { $0.isEmpty ? nil : $0[Int(draw % UInt64($0.count))].subscription }
    guard let victim else { return }
    // A lane is busy with this very callback.
    let sharesLane = victim.kind.place.map { $0.kind.isShared && $0 === log.place } ?? false
    victim.cancel(isOnOwnContext: sharesLane)
  }

  /// Waits until no callback publishes, and ends the victims.
  func end() async -> ([LiveSubscriber], victims: [RecordedSubscription]) {
    let ended = victims.with { $0.map(\.subscription) }
    for victim in ended {
      victim.cancel()
      await victim.cancelAndWait()
    }
    var version: UInt32
    repeat {
      version = tested.version
      await tested.publisher.drain()
    } while tested.version != version
    // Their callbacks hold this object.
    victims.with { $0 = [] }
    return (newSubscribers.with { $0 }, ended)
  }
}
