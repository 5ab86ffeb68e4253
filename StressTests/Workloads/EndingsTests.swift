import SubPub
import SubPubTesting
import Support
import Testing

extension StressTests {
  @Test("a released publisher still delivers all pending states, and the last one to everyone")
  func stochastic_2_04_3_06_6_03_endings() async { await Workload.endings.run(Endings.perform) }
}

/// Publishers are released while states are pending, and other threads cancel and release subscribers.
enum Endings {
  @Sendable static func perform(_ round: Round) async -> RoundResult {
    var result = RoundResult()
    for part in 0..<8 {
      // It holds the publisher only until a thread takes it.
      let ending = await ThreadGroup.alone { Ending(round, part) }
      let calls = await round.threads.run { ending.play(on: $0) }
      // If one misses the last state, the wait fails, and the checker says which.
      let isComplete = await ending.isServed()
      result.histories.append(await ending.history(calls: calls.flatMap { $0 }))
      if !isComplete { break }
    }
    return result
  }
}

/// The end of one publisher.
private final class Ending: Sendable {
  private let seed: SeededGenerator
  private let tested: Guarded<PublisherUnderTest?>
  private let subscribers: Subscribers
  private let victims: [RecordedSubscription]
  private let shared: Guarded<[LiveSubscriber]>
  private let served = Countdown()
  /// The last number, published by the thread that releases the publisher.
  private static let last = Number.make(caller: 1_000, count: 1)

  init(_ round: Round, _ part: Int) {
    var random = round.random(1_000 + part)
    let tested = PublisherUnderTest()
    let reaction: DeliveryLog.Reaction = { [served] _, number in if number == Self.last { served.arrive() } }
    var subscribers = Subscribers()
    subscribers.addReference(to: tested, reaction: reaction)
    for _ in 0..<20 { subscribers.add(.draw(&random), to: tested, reaction: reaction) }
    served.expect(subscribers.live.count)
    for interface in SequenceReader.interfaces { subscribers.addReader(interface, .draw(&random), of: tested) }
    let victims = (0..<12).map { tested.subscribe(.draw(&random), by: 1, order: $0) }
    (self.tested, self.subscribers, seed) = (Guarded(tested), subscribers, random)
    (self.victims, shared) = (victims.map(\.subscription), Guarded(victims))
  }

  func play(on index: Int) -> [Call] {
    var random = seed
    for _ in 0...index { _ = random.next() }
    guard index == 0 else {
      while let victim = shared.with({ $0.popLast() }) { Self.end(victim.subscription, &random) }
      return []
    }
    guard let tested = tested.with({ $0.take() }) else { return [] }
    var caller = Caller(1)
    for _ in 0..<(10 + random.draw(30)) { caller.publish(tested.publisher, &random) }
    let (_, span) = Span.of { tested.publisher.updateData(Payload(number: Self.last)) }
    caller.add(Self.last, span)
    return caller.calls
  }

  private static func end(_ victim: RecordedSubscription, _ random: inout SeededGenerator) {
    victim.readStatistics()
    victim.mayEnd()
    if random.draw(2) == 0 { victim.cancel() } else { victim.willRelease() }
  }

  func isServed() async -> Bool { await served.wait() }

  func history(calls: [Call]) async -> History {
    var history = History()
    (history.calls, history.isEnded, history.finalVersion) = (calls, true, UInt32(calls.count))
    for subscriber in subscribers.live { await subscriber.subscription.cancelAndWait() }
    history.subscriptions = await subscribers.finish(others: victims, cancelsReaders: false)
    return history
  }
}
