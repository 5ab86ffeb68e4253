import SubPub
import SubPubTesting
import Support

/// Subscribers that come and go on one thread, which alone holds them.
struct ChurnGroup: Sendable {
  let tested: PublisherUnderTest
  let joiner: Int
  private(set) var present: [LiveSubscriber] = []
  /// Cancelled, or without a subscriber.
  private(set) var ended: [RecordedSubscription] = []
  private(set) var readers: [SequenceReader] = []
  /// Cancelled, and still alive, so that a delivery that was in flight reaches its subscriber.
  private(set) var survivors: [LiveSubscriber] = []
  private var order = 0

  init(_ tested: PublisherUnderTest, joiner: Int) { (self.tested, self.joiner) = (tested, joiner) }

  mutating func subscribe(_ kind: SubscriptionKind) {
    present.append(tested.subscribe(kind, by: joiner, order: order))
    order += 1
  }

  /// Subscribes one of them again: its subscription stays as it is, and nothing is replayed.
  func subscribeAgain(_ random: inout SeededGenerator) {
    guard !present.isEmpty, let recorder = random.pick(present).subscriber as? TypedRecorder else { return }
    tested.publisher.subscribe(recorder, on: .background)
  }

  /// Starts a sequence that ends by itself after some states.
  mutating func read(_ random: inout SeededGenerator) {
    let interface = random.pick(SequenceReader.interfaces)
    readers.append(
      SequenceReader(interface, .draw(&random), of: tested, by: joiner, order: order, limit: random.draw(50)))
    order += 1
  }

  /// Cancels one of them, and releases half of those.
  mutating func cancel(_ random: inout SeededGenerator) {
    guard let subscriber = remove(&random) else { return }
    subscriber.subscription.cancel()
    if random.draw(2) == 0 { survivors.append(subscriber) }
  }

  /// Cancels all subscriptions of one object.
  mutating func unsubscribe(_ random: inout SeededGenerator) {
    guard let subscriber = remove(&random), let object = subscriber.subscriber else { return }
    let (outcome, span) = Span.of { tested.publisher.unsubscribe(object) }
    let record = CancelRecord(span: span, answer: .outcome(outcome), thread: ThreadMark.current)
    subscriber.subscription.note { $0.cancels.append(record) }
  }

  /// Releases one of them, whatever its deliveries do.
  mutating func release(_ random: inout SeededGenerator) { remove(&random)?.subscription.willRelease() }

  func readStatistics(_ random: inout SeededGenerator) {
    if !present.isEmpty { random.pick(present).subscription.readStatistics() }
  }

  private mutating func remove(_ random: inout SeededGenerator) -> LiveSubscriber? {
    guard !present.isEmpty else { return nil }
    let subscriber = present.remove(at: random.draw(present.count))
    ended.append(subscriber.subscription)
    return subscriber
  }
}
