/// The same as `ExplicitPublisher`, for protocols of the main actor, which needn't be `Sendable`; delivered there.
///
/// Whoever looks at a subscriber from another thread, by `subscriberCount`, `isActive`, `cancel()` or `drain()`, may
/// hold it until the main actor has time to release it: it never dies anywhere else (rule 2.05).
public final class MainActorExplicitPublisher<Value: Sendable, Subscriber>: Sendable {
  /// The publisher behind it: publish there, from any thread.
  public let publisher: Publisher<Value>
  @usableFromInline let face: SubscriberFace
  @usableFromInline let call: @MainActor @Sendable (Subscriber, LoadState<Value>) -> Void

  /// Gives a publisher with a subscriber protocol of the main actor.
  ///
  /// - Parameters:
  ///   - publisher: The publisher to give it to; a new one if left out.
  ///   - calling: Hands a state to a subscriber on the main actor: `{ $0.newsChanged($1) }`. Kept until this
  ///     publisher and its subscriptions are gone.
  public init(
    _ publisher: Publisher<Value> = Publisher(),
    calling: @escaping @MainActor @Sendable (Subscriber, LoadState<Value>) -> Void
  ) {
    self.publisher = publisher
    face = .explicitOnMainActor(publisher.registry.newFaceNumber())
    call = calling
  }

  /// Subscribes an object that conforms to the protocol; held weakly (rule 2.05). The current state comes first (rule
  /// 2.01). A subscriber that is no class instance is a programmer's error.
  @MainActor @discardableResult @inlinable
  public func subscribe(
    _ subscriber: Subscriber, buffering: BufferingPolicy = .unbounded, ifDuplicate: DuplicatePolicy = .ignore
  ) -> Subscription {
    let object = classInstance(of: subscriber, as: "subscriber")
    let subscriber = UnownedExistential(subscriber)
    let call: @MainActor @Sendable (any Stamped) -> Void = { [call] state in
      subscriber.use { call($0, Publication<Value>.from(state).state) }
    }
    // Isolated to the main actor, where this lane is drained; a closure of it is called like any other.
    let deliver = unsafe unsafeBitCast(call, to: (@Sendable (any Stamped) -> Void).self)
    return publisher.registry.subscribe(
      Enrolment(object, as: face, on: .main, buffering: buffering, ifDuplicate: ifDuplicate) { _, state in
        deliver(state)
      })
  }

  /// Cancels what the object has subscribed through this face, and says what it found (rule 3.02).
  @MainActor @discardableResult @inlinable
  public func unsubscribe(_ subscriber: Subscriber) -> CancelOutcome {
    publisher.registry.unsubscribe(classInstance(of: subscriber, as: "subscriber"), through: face)
  }
}

extension MainActorExplicitPublisher: CustomStringConvertible {
  /// The subscriber protocol and the publisher.
  public var description: String { "MainActorExplicitPublisher<\(Subscriber.self)>(\(publisher))" }
}
