import SubPub

/// One publisher with every face that it has.
final class Stage: Sendable {
  let publisher = Publisher<Payload>()
  let explicit: ExplicitPublisher<Payload, any StateReceiver>
  let mainExplicit: MainActorExplicitPublisher<Payload, any MainStateReceiver>

  init() {
    explicit = ExplicitPublisher(publisher) { $0.show($1) }
    mainExplicit = MainActorExplicitPublisher(publisher) { $0.show($1) }
  }

  var version: UInt32 { UInt32(truncatingIfNeeded: publisher.current.version) }

  /// A subscription with its subscriber.
  struct Joined: Sendable {
    let member: Member
    var subscriber: (any AnyObject & Sendable)?
  }

  /// Subscribes a new subscriber, or `again` one of the same face, and notes what may be replayed.
  func join(
    _ role: Role, by joiner: Int, order: Int, reaction: DeliveryLog.Reaction? = nil, capacity: Int = 0
  ) -> Joined {
    let log = DeliveryLog(at: role.place, reaction: reaction, capacity: capacity)
    let earliest = version
    let ((subscriber, subscription), span) = Span.of { enrol(role, log) }
    let latest = max(earliest, version)
    let member = Member(
      role, log, subscription, joining: span, by: joiner, order: order, replay: earliest...latest)
    return Joined(member: member, subscriber: subscriber)
  }

  private func enrol(_ role: Role, _ log: DeliveryLog) -> (any AnyObject & Sendable, Subscription) {
    let policy = role.policy
    let context = role.place.context ?? .background
    switch role.face {
    case .untyped:
      let subscriber = UntypedWitness(log)
      return (subscriber, publisher.subscribe(subscriber, on: context, buffering: policy))
    case .mainTyped:
      let subscriber = MainTypedWitness(log)
      return (subscriber, publisher.subscribe(subscriber, buffering: policy))
    case .mainUntyped:
      let subscriber = MainUntypedWitness(log)
      return (subscriber, publisher.subscribe(subscriber, buffering: policy))
    case .handler:
      let subscriber = PlainWitness(log)
      return (subscriber, publisher.subscribe(subscriber, on: context, buffering: policy) { $0.show($1) })
    case .mainHandler:
      let subscriber = MainPlainWitness(log)
      return (subscriber, publisher.subscribe(subscriber, buffering: policy) { $0.show($1) })
    case .actorHandler:
      let subscriber = ActorWitness(log)
      return (subscriber, publisher.subscribe(subscriber, buffering: policy) { $0.show($1) })
    case .explicit:
      let subscriber = PlainWitness(log)
      return (subscriber, explicit.subscribe(subscriber, on: context, buffering: policy))
    case .typed, .mainExplicit, .states, .values, .multicast, .mainMulticast:
      let subscriber = TypedWitness(log)
      return (subscriber, publisher.subscribe(subscriber, on: context, buffering: policy))
    }
  }

  /// The one face that only the main actor can subscribe.
  @MainActor
  func joinExplicitly(_ policy: BufferingPolicy, at place: Place, by joiner: Int, order: Int) -> Joined {
    let log = DeliveryLog(at: place)
    let subscriber = MainPlainWitness(log)
    let earliest = version
    let (subscription, span) = Span.of { mainExplicit.subscribe(subscriber, buffering: policy) }
    let role = Role(place: place, face: .mainExplicit, policy: policy)
    let member = Member(
      role, log, subscription, joining: span, by: joiner, order: order, replay: earliest...max(earliest, version))
    return Joined(member: member, subscriber: subscriber)
  }
}
