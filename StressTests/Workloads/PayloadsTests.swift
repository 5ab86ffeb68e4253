import SubPub
import SubPubTesting
import Support
import Synchronization
import Testing

extension StressTests {
  @Test("payloads are released outside all locks, so that they can call the library, and none is kept")
  func stochastic_1_04_3_05_payloads() async { await Workload.payloads.run(Payloads.perform) }
}

/// Payloads publish, read, cancel, subscribe and unsubscribe when they are released, wherever that is.
enum Payloads {
  @Sendable static func perform(_ round: Round) async -> RoundResult {
    let (tested, side) = (PublisherUnderTest(), PublisherUnderTest())
    let releases = PayloadReleases(tested, side)
    var (subscribers, sideSubscribers) = await ThreadGroup.alone {
      var (random, subscribers, sideSubscribers) = (round.random(50), Subscribers(), Subscribers())
      subscribers.addReference(to: tested)
      sideSubscribers.add(SubscriptionKind(at: Places[.queue][0]), to: side)
      for _ in 0..<12 { subscribers.add(.draw(&random), to: tested) }
      for _ in 0..<12 { sideSubscribers.add(.draw(&random), to: side) }
      return (subscribers, sideSubscribers)
    }
    let played = await round.threads.run { index in
      var (random, caller, group) = (round.random(index), Caller(index + 1), ChurnGroup(tested, joiner: index + 1))
      for _ in 0..<120 {
        switch random.draw(8) {
        case 0: group.subscribe(.draw(&random))
        case 1: group.cancel(&random)
        case 2: group.release(&random)
        default:
          let release = releases.action(&random, watching: group.present.last?.subscription)
          caller.publish(tested.publisher, &random) { Payload(number: $0, whenReleased: release) }
        }
      }
      return (group, caller.calls)
    }
    let ended = await subscribers.take(played.map(\.0))
    for subscription in ended { await subscription.cancelAndWait() }
    // Replaces the last payload with an action; the others are released after their deliveries.
    var (last, random) = (Caller(1_001), round.random(60))
    last.publish(tested.publisher, &random)
    var result = RoundResult()
    if await !releases.areComplete() { result.violations = [Violation(rule: "3.05", text: "payloads are kept")] }
    sideSubscribers.live += releases.newSubscribers
    let calls = played.flatMap(\.1) + releases.calls + last.calls
    result.histories = [
      await subscribers.history(of: tested, calls: calls, others: ended),
      await sideSubscribers.history(of: side, calls: releases.sideCalls),
    ]
    // A payload may be released, and publish, on any thread.
    for index in result.histories.indices { result.histories[index].isPublishedByTestThreads = false }
    return result
  }
}

/// What payloads do when they are released.
private final class PayloadReleases: Sendable {
  /// The publisher of the payloads.
  private let tested: PublisherUnderTest
  private let side: PublisherUnderTest
  private let given = Atomic<Int>(0)
  private let open = Countdown()
  private let noted = Guarded(Noted())

  private struct Noted: Sendable {
    var calls: [Call] = []
    var sideCalls: [Call] = []
    var newSubscribers: [LiveSubscriber] = []
  }

  init(_ tested: PublisherUnderTest, _ side: PublisherUnderTest) { (self.tested, self.side) = (tested, side) }

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
    case 0:
      let (_, span) = Span.of { side.publisher.updateData(Payload(number: number)) }
      noted.with { $0.sideCalls.append(Call(span: span, number: number)) }
    case 1:
      let (_, span) = Span.of { tested.publisher.updateData(Payload(number: number)) }
      noted.with { $0.calls.append(Call(span: span, number: number)) }
    case 2 where noted.with({ $0.newSubscribers.count }) < 40:
      let subscriber = side.subscribe(.draw(&random), by: 1 + Int(number), order: 0)
      noted.with { $0.newSubscribers.append(subscriber) }
    case 3: subscription?.readStatistics()
    // An object without a subscription, for which the publisher searches all the same.
    case 4: tested.publisher.unsubscribe(self)
    default: _ = tested.publisher.current.version + UInt64(tested.publisher.subscriberCount)
    }
  }

  /// Returns false if a payload is kept.
  func areComplete() async -> Bool { await open.wait() }

  var calls: [Call] { noted.with { $0.calls } }
  var sideCalls: [Call] { noted.with { $0.sideCalls } }
  var newSubscribers: [LiveSubscriber] { noted.with { $0.newSubscribers } }
}
