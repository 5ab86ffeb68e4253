import Synchronization

/// The subscriber's code with its types erased, called with the living subscriber.
@usableFromInline
package typealias Deliver = @Sendable (_ subscriber: any AnyObject & Sendable, _ state: any BoxedPublication) -> Void

/// A request to subscribe, as the generic interfaces pass it to the engine.
@usableFromInline
package struct SubscriptionRequest: Sendable {
  let subscriber: any AnyObject & Sendable
  let subscriberType: Any.Type
  let interface: SubscriberInterface
  let context: DeliveryContext
  let buffering: BufferingPolicy
  let ifDuplicate: DuplicatePolicy
  /// Nil for most subscriptions.
  let details: SubscriptionDetails?
  let deliver: Deliver

  /// Creates a request.
  ///
  /// By default, `Subscription.subscriberType` is the subscriber's class; `type` replaces it. `deliver` runs the
  /// subscriber's code and must not retain the subscriber.
  @usableFromInline
  package init(
    _ subscriber: any AnyObject & Sendable, ofType type: Any.Type? = nil, through interface: SubscriberInterface,
    on context: DeliveryContext, buffering: BufferingPolicy, ifDuplicate: DuplicatePolicy = .allow,
    label: String? = nil, after: PublicationID? = nil, deliver: @escaping Deliver
  ) {
    if case .unbounded = buffering {} else { buffering.check(with: context) }
    self.subscriber = subscriber
    self.subscriberType = type ?? Swift.type(of: subscriber)
    self.interface = interface
    self.context = context
    self.buffering = buffering
    self.ifDuplicate = ifDuplicate
    details = label == nil && after == nil ? nil : SubscriptionDetails(label: label, after: after)
    self.deliver = deliver
  }
}

/// What few subscriptions have: in one object, so that it costs the others one word.
final class SubscriptionDetails: Sendable {
  let label: String?
  /// The publication after which an iterator wants to go on; nil for the current state.
  let after: PublicationID?
  private let goesOn = Atomic<Bool>(false)

  init(label: String?, after: PublicationID?) { (self.label, self.after) = (label, after) }

  /// Whether the iterator goes on there.
  ///
  /// Set in the turn that subscribes, before anyone else knows the subscription, so relaxed accesses are enough.
  var isResumed: Bool {
    get { goesOn.load(ordering: .relaxed) }
    set { goesOn.store(newValue, ordering: .relaxed) }
  }
}
