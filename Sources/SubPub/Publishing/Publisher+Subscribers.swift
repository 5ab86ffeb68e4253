// Subscribers by protocol. A class with a typed and a type-less face gets the typed one: the type-less overloads are
// disfavoured, and `x as any Subscriber` asks for them.

extension Publisher {
  /// Subscribes an object through the type-less face.
  ///
  /// The current state comes first (rule 2.01). The object is held weakly (rule 2.05); the subscription lasts as long as
  /// it lives, whether or not what is returned is kept.
  @_disfavoredOverload @discardableResult @inlinable
  public func subscribe(
    _ subscriber: any Subscriber, on delivery: Delivery, buffering: BufferingPolicy = .unbounded,
    ifDuplicate: DuplicatePolicy = .ignore
  ) -> Subscription {
    registry.subscribe(
      Self.enrolment(of: subscriber, as: .untyped, on: delivery, buffering: buffering, ifDuplicate: ifDuplicate))
  }

  /// Subscribes an object of the main actor through the type-less face; delivered there.
  @_disfavoredOverload @discardableResult @inlinable
  public func subscribe(
    _ subscriber: any MainActorSubscriber, buffering: BufferingPolicy = .unbounded,
    ifDuplicate: DuplicatePolicy = .ignore
  ) -> Subscription {
    registry.subscribe(
      Self.enrolment(of: subscriber, as: .untypedOnMainActor, buffering: buffering, ifDuplicate: ifDuplicate))
  }

  /// Subscribes an object through the typed face.
  ///
  /// The current state comes first (rule 2.01). The object is held weakly (rule 2.05); the subscription lasts as long as
  /// it lives, whether or not what is returned is kept.
  @discardableResult @inlinable
  public func subscribe<S: TypedSubscriber<Value>>(
    _ subscriber: S, on delivery: Delivery, buffering: BufferingPolicy = .unbounded,
    ifDuplicate: DuplicatePolicy = .ignore
  ) -> Subscription {
    registry.subscribe(
      Enrolment(subscriber, as: .typed, on: delivery, buffering: buffering, ifDuplicate: ifDuplicate) {
        object, state in
        unsafe unsafeDowncast(object, to: S.self).receive(Publication<Value>.from(state))
      })
  }

  /// Subscribes an object of the main actor through the typed face; delivered there.
  @discardableResult @inlinable
  public func subscribe<S: MainActorTypedSubscriber<Value>>(
    _ subscriber: S, buffering: BufferingPolicy = .unbounded, ifDuplicate: DuplicatePolicy = .ignore
  ) -> Subscription {
    let receive: @MainActor @Sendable (S, Publication<Value>) -> Void = { $0.receive($1) }
    // Isolated to the main actor, where this lane is drained; a closure of it is called like any other.
    let call = unsafe unsafeBitCast(receive, to: (@Sendable (S, Publication<Value>) -> Void).self)
    return registry.subscribe(
      Enrolment(subscriber, as: .typedOnMainActor, on: .main, buffering: buffering, ifDuplicate: ifDuplicate) {
        object, state in
        call(unsafe unsafeDowncast(object, to: S.self), Publication<Value>.from(state))
      })
  }
}

extension Publisher {
  /// The request of a type-less subscriber.
  @inlinable @inline(__always)
  static func enrolment(
    of subscriber: any Subscriber, as face: SubscriberFace, on delivery: Delivery, buffering: BufferingPolicy,
    ifDuplicate: DuplicatePolicy
  ) -> Enrolment {
    Enrolment(subscriber, as: face, on: delivery, buffering: buffering, ifDuplicate: ifDuplicate) {
      [subscriber = UnownedExistential(subscriber)] _, state in
      subscriber.use { $0.receive(Publication<Value>.from(state)) }
    }
  }

  /// The request of a type-less subscriber of the main actor.
  @inlinable @inline(__always)
  static func enrolment(
    of subscriber: any MainActorSubscriber, as face: SubscriberFace, buffering: BufferingPolicy,
    ifDuplicate: DuplicatePolicy
  ) -> Enrolment {
    let receive: @MainActor @Sendable (any MainActorSubscriber, any AnyPublication) -> Void = { $0.receive($1) }
    // As above.
    let call = unsafe unsafeBitCast(
      receive, to: (@Sendable (any MainActorSubscriber, any AnyPublication) -> Void).self)
    return Enrolment(subscriber, as: face, on: .main, buffering: buffering, ifDuplicate: ifDuplicate) {
      [subscriber = UnownedExistential(subscriber)] _, state in
      subscriber.use { call($0, Publication<Value>.from(state)) }
    }
  }
}
