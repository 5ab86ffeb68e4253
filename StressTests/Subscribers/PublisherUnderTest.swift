import SubPub
import Support

/// A subscriber that is kept alive, with its subscription.
struct LiveSubscriber: Sendable {
  let subscription: RecordedSubscription
  var subscriber: (any AnyObject & Sendable)?
}

/// One publisher with every interface that it has.
final class PublisherUnderTest: Sendable {
  let publisher = Publisher<Payload>()
  let explicit: ExplicitPublisher<Payload, any StateReceiver>
  let mainExplicit: MainActorExplicitPublisher<Payload, any MainStateReceiver>

  init() {
    explicit = ExplicitPublisher(publisher) { $0.show($1) }
    mainExplicit = MainActorExplicitPublisher(publisher) { $0.show($1) }
  }

  var version: UInt32 { UInt32(truncatingIfNeeded: publisher.current.version) }

  /// Runs the body, which subscribes, and returns when it ran and which versions may be replayed.
  func joining<R>(_ body: () -> R) -> (R, Span, replay: ClosedRange<UInt32>) {
    let earliest = version
    let (result, span) = Span.of(body)
    return (result, span, earliest...max(earliest, version))
  }

  /// Subscribes a new subscriber.
  func subscribe(
    _ kind: SubscriptionKind, by joiner: Int, order: Int, reaction: DeliveryLog.Reaction? = nil, capacity: Int = 0
  ) -> LiveSubscriber {
    let log = DeliveryLog(at: kind.place, reaction: reaction, capacity: capacity)
    return record(kind, log, by: joiner, order: order) { subscribe(kind, log) }
  }

  /// Subscribes with the one interface that only the main actor can use.
  @MainActor
  func subscribeExplicitly(_ policy: BufferingPolicy, order: Int) -> LiveSubscriber {
    let log = DeliveryLog(at: Places.main)
    let subscriber = MainPlainRecorder(log)
    return record(SubscriptionKind(at: Places.main, .mainExplicit, policy), log, by: 0, order: order) {
      (subscriber, mainExplicit.subscribe(subscriber, buffering: policy))
    }
  }

  func record(
    _ kind: SubscriptionKind, _ log: DeliveryLog, by joiner: Int, order: Int,
    _ subscribe: () -> (any AnyObject & Sendable, Subscription)
  ) -> LiveSubscriber {
    let ((subscriber, subscription), span, replay) = joining(subscribe)
    let recorded = RecordedSubscription(
      kind, log, subscription, joining: span, by: joiner, order: order, replay: replay)
    return LiveSubscriber(subscription: recorded, subscriber: subscriber)
  }

  private func subscribe(_ kind: SubscriptionKind, _ log: DeliveryLog) -> (any AnyObject & Sendable, Subscription) {
    let policy = kind.policy
    let context = kind.place?.context ?? .background
    switch kind.interface {
    case .untyped:
      let subscriber = UntypedRecorder(log)
      return (subscriber, publisher.subscribe(subscriber, on: context, buffering: policy))
    case .mainTyped:
      let subscriber = MainTypedRecorder(log)
      return (subscriber, publisher.subscribe(subscriber, buffering: policy))
    case .mainUntyped:
      let subscriber = MainUntypedRecorder(log)
      return (subscriber, publisher.subscribe(subscriber, buffering: policy))
    case .handler:
      let subscriber = PlainRecorder(log)
      return (subscriber, publisher.subscribe(subscriber, on: context, buffering: policy) { $0.show($1) })
    case .mainHandler:
      let subscriber = MainPlainRecorder(log)
      return (subscriber, publisher.subscribe(subscriber, buffering: policy) { $0.show($1) })
    case .actorHandler:
      let subscriber = ActorRecorder(log)
      return (subscriber, publisher.subscribe(subscriber, buffering: policy) { $0.show($1) })
    case .explicit:
      let subscriber = PlainRecorder(log)
      return (subscriber, explicit.subscribe(subscriber, on: context, buffering: policy))
    case .typed, .mainExplicit, .states, .values, .publications, .multicast, .mainMulticast:
      let subscriber = TypedRecorder(log)
      return (subscriber, publisher.subscribe(subscriber, on: context, buffering: policy))
    }
  }
}
