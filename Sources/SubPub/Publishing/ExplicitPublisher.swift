/// Gives a publisher a subscriber protocol of its own, without subclassing: `calling` says which function of the
/// protocol a state goes to.
///
/// So one class can subscribe to many publishers, each through a protocol that names it. Keeps every rule of a
/// publisher; several may share one publisher, and each counts for itself when it comes to duplicates (rule 2.06).
public final class ExplicitPublisher<Value: Sendable, Subscriber: Sendable>: Sendable {
  /// The publisher behind it: publish there.
  public let publisher: Publisher<Value>
  @usableFromInline let face: SubscriberFace
  @usableFromInline let call: @Sendable (Subscriber, LoadState<Value>) -> Void

  /// Gives a publisher with a subscriber protocol.
  ///
  /// - Parameters:
  ///   - publisher: The publisher to give it to; a new one if left out.
  ///   - calling: Hands a state to a subscriber: `{ $0.newsChanged($1) }`. Kept until this publisher and its
  ///     subscriptions are gone.
  public init(
    _ publisher: Publisher<Value> = Publisher(), calling: @escaping @Sendable (Subscriber, LoadState<Value>) -> Void
  ) {
    self.publisher = publisher
    face = .explicit(publisher.registry.newFaceNumber())
    call = calling
  }

  /// Subscribes an object that conforms to the protocol; held weakly (rule 2.05). The current state comes first (rule
  /// 2.01). A subscriber that is no class instance is a programmer's error.
  @discardableResult @inlinable
  public func subscribe(
    _ subscriber: Subscriber, on delivery: Delivery, buffering: BufferingPolicy = .unbounded,
    ifDuplicate: DuplicatePolicy = .ignore
  ) -> Subscription {
    publisher.registry.subscribe(
      Enrolment(
        classInstance(of: subscriber, as: "subscriber"), as: face, on: delivery, buffering: buffering,
        ifDuplicate: ifDuplicate
      ) { [call, subscriber = UnownedExistential(subscriber)] _, state in
        subscriber.use { call($0, Publication<Value>.from(state).state) }
      })
  }

  /// Cancels what the object has subscribed through this face, and says what it found (rule 3.02). May be called from the
  /// object's `deinit`.
  @discardableResult @inlinable
  public func unsubscribe(_ subscriber: Subscriber) -> CancelOutcome {
    publisher.registry.unsubscribe(classInstance(of: subscriber, as: "subscriber"), through: face)
  }
}

extension ExplicitPublisher: CustomStringConvertible {
  /// The subscriber protocol and the publisher.
  public var description: String { "ExplicitPublisher<\(Subscriber.self)>(\(publisher))" }
}
