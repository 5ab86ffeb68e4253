/// What a directory asks of a publisher, whatever it publishes.
protocol ListedPublisher: AnyObject, Sendable {
  var id: PublisherID { get }
  var registry: PublisherRegistry { get }

  func enrolment(
    of subscriber: any Subscriber, as face: SubscriberFace, on delivery: Delivery, buffering: BufferingPolicy,
    ifDuplicate: DuplicatePolicy
  ) -> Enrolment

  func enrolment(
    of subscriber: any MainActorSubscriber, as face: SubscriberFace, buffering: BufferingPolicy,
    ifDuplicate: DuplicatePolicy
  ) -> Enrolment
}

extension Publisher: ListedPublisher {}
