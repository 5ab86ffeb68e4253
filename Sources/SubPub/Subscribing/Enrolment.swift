/// The subscriber's code, without its types. Called with the living subscriber.
@usableFromInline
package typealias Deliver = @Sendable (_ subscriber: any AnyObject & Sendable, _ state: any Stamped) -> Void

/// A request to subscribe, as the generic faces hand it to the engine.
@usableFromInline
package struct Enrolment: Sendable {
  let subscriber: any AnyObject & Sendable
  let subscriberType: Any.Type
  let face: SubscriberFace
  let delivery: Delivery
  let buffering: BufferingPolicy
  let ifDuplicate: DuplicatePolicy
  let deliver: Deliver

  @usableFromInline
  package init(
    _ subscriber: any AnyObject & Sendable, ofType type: Any.Type? = nil, as face: SubscriberFace,
    on delivery: Delivery, buffering: BufferingPolicy, ifDuplicate: DuplicatePolicy = .allow,
    deliver: @escaping Deliver
  ) {
    buffering.checkCapacity()
    self.subscriber = subscriber
    self.subscriberType = type ?? Swift.type(of: subscriber)
    self.face = face
    self.delivery = delivery
    self.buffering = buffering
    self.ifDuplicate = ifDuplicate
    self.deliver = deliver
  }
}
