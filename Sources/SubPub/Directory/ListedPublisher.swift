/// What a directory asks of a type of publishers, whatever they publish.
protocol ListedPublisher: AnyObject, Sendable {
  static func enrolment(
    of subscriber: any Subscriber, as face: SubscriberFace, on delivery: Delivery, buffering: BufferingPolicy,
    ifDuplicate: DuplicatePolicy
  ) -> Enrolment

  static func enrolment(
    of subscriber: any MainActorSubscriber, as face: SubscriberFace, buffering: BufferingPolicy,
    ifDuplicate: DuplicatePolicy
  ) -> Enrolment
}

extension Publisher: ListedPublisher {}
