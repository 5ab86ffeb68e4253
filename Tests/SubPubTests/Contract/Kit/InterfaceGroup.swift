import SubPub
import Synchronization

/// A publisher with every interface that it can have, and a group of delegates.
@MainActor
final class InterfaceGroup {
  /// The interfaces through which an object subscribes; a duplicate subscribes through the same one (2.06).
  enum Interface: String, CaseIterable, Codable, Sendable {
    case typed, untyped, typedOnMainActor, untypedOnMainActor
    case explicit, otherExplicit, explicitOnMainActor
    case closure, delegate
  }

  let publisher = Publisher<Int>()
  private let group = MulticastDelegate<any TypedSubscriber<Int>>()
  private let explicit: ExplicitPublisher<Int, any TypedSubscriber<Int>>
  private let other: ExplicitPublisher<Int, any TypedSubscriber<Int>>
  private let onMainActor: MainActorExplicitPublisher<Int, any MainActorTypedSubscriber<Int>>
  private var made: [Interface: Set<Subscription>] = [:]

  init() {
    explicit = ExplicitPublisher(publisher) { $0.receive($1) }
    other = ExplicitPublisher(publisher) { $0.receive($1) }
    onMainActor = MainActorExplicitPublisher(publisher) { $0.receive($1) }
  }

  /// Subscribes through an interface; those of the main actor take no context, and delegates no policy.
  @discardableResult
  func subscribe(
    _ subscriber: UniversalSubscriber, through interface: Interface, on context: DeliveryContext = .background,
    buffering: BufferingPolicy = .unbounded, _ policy: DuplicatePolicy
  ) -> Subscription {
    let subscription =
      switch interface {
      case .typed: publisher.subscribe(subscriber, on: context, buffering: buffering, ifDuplicate: policy)
      case .untyped:
        publisher.subscribe(subscriber as any Subscriber, on: context, buffering: buffering, ifDuplicate: policy)
      case .typedOnMainActor: publisher.subscribe(subscriber, buffering: buffering, ifDuplicate: policy)
      case .untypedOnMainActor:
        publisher.subscribe(subscriber as any MainActorSubscriber, buffering: buffering, ifDuplicate: policy)
      case .explicit: explicit.subscribe(subscriber, on: context, buffering: buffering, ifDuplicate: policy)
      case .otherExplicit: other.subscribe(subscriber, on: context, buffering: buffering, ifDuplicate: policy)
      case .explicitOnMainActor: onMainActor.subscribe(subscriber, buffering: buffering, ifDuplicate: policy)
      case .closure:
        publisher.subscribe(subscriber, on: context, buffering: buffering, ifDuplicate: policy) { $0.receive($1) }
      case .delegate: group.add(subscriber, on: context, ifDuplicate: policy)
      }
    made[interface, default: []].insert(subscription)
    return subscription
  }

  /// The number of active subscriptions through an interface.
  func count(through interface: Interface) -> Int { made[interface, default: []].count { $0.isActive } }

  func drain() async {
    await publisher.drain()
    await group.drain()
  }
}

/// A subscriber that implements every protocol.
class UniversalSubscriber: Subscriber, TypedSubscriber, @unchecked Sendable {
  private let count = Atomic<Int>(0)

  func receive(_ publication: any AnyPublication) { count.add(1, ordering: .relaxed) }
  func receive(_ publication: Publication<Int>) { count.add(1, ordering: .relaxed) }
  func receive(_ state: LoadState<Int>) { count.add(1, ordering: .relaxed) }

  /// The number of calls through all interfaces.
  var calls: Int { count.load(ordering: .relaxed) }
}

// Not in the declaration, which these conformances would isolate.
extension UniversalSubscriber: MainActorSubscriber, MainActorTypedSubscriber {}

final class UniversalSubscriberSubclass: UniversalSubscriber, @unchecked Sendable {}
