import SubPub

/// A publisher with every face that it can have, and a group of delegates.
@MainActor
final class Faces {
  let publisher = Publisher<Int>()
  private let group = MulticastDelegate<any TypedSubscriber<Int>>()
  private let explicit: ExplicitPublisher<Int, any TypedSubscriber<Int>>
  private let other: ExplicitPublisher<Int, any TypedSubscriber<Int>>
  private let onMainActor: MainActorExplicitPublisher<Int, any MainActorTypedSubscriber<Int>>
  private var made: [Face: Set<Subscription>] = [:]

  init() {
    explicit = ExplicitPublisher(publisher) { $0.receive($1) }
    other = ExplicitPublisher(publisher) { $0.receive($1) }
    onMainActor = MainActorExplicitPublisher(publisher) { $0.receive($1) }
  }

  /// A face of the main actor takes no `delivery`, and a delegate no policy.
  @discardableResult
  func subscribe(
    _ subscriber: ManyFaced, through face: Face, on context: DeliveryContext = .background,
    buffering: BufferingPolicy = .unbounded, _ policy: DuplicatePolicy
  ) -> Subscription {
    let subscription =
      switch face {
      case .typed: publisher.subscribe(subscriber, on: context, buffering: buffering, ifDuplicate: policy)
      case .untyped:
        publisher.subscribe(subscriber as any Subscriber, on: context, buffering: buffering, ifDuplicate: policy)
      case .typedOnMainActor: publisher.subscribe(subscriber, buffering: buffering, ifDuplicate: policy)
      case .untypedOnMainActor:
        publisher.subscribe(subscriber as any MainActorSubscriber, buffering: buffering, ifDuplicate: policy)
      case .explicit: explicit.subscribe(subscriber, on: context, buffering: buffering, ifDuplicate: policy)
      case .otherExplicit: other.subscribe(subscriber, on: context, buffering: buffering, ifDuplicate: policy)
      case .explicitOnMainActor: onMainActor.subscribe(subscriber, buffering: buffering, ifDuplicate: policy)
      case .delegate: group.add(subscriber, on: context, ifDuplicate: policy)
      }
    made[face, default: []].insert(subscription)
    return subscription
  }

  /// How many subscriptions through that face are active.
  func count(through face: Face) -> Int { made[face, default: []].count { $0.isActive } }

  func drain() async {
    await publisher.drain()
    await group.drain()
  }
}
