public import Synchronization

/// What a derived publisher holds: its sources, and its subscriptions to them, which end with it.
@usableFromInline
final class Derivation: Sendable {
  private let subscriptions: [ScopedSubscription]
  private let findSources: @Sendable () -> [any StatePublisher]
  private let findAgeSource: @Sendable () -> (any StatePublisher)?
  /// Whether the publisher may keep a value when its source has another one by now.
  private let keepsValues: Bool

  var sources: [any StatePublisher] { findSources() }
  /// The source whose data the publisher has; nil if it combines several.
  var ageSource: (any StatePublisher)? { findAgeSource() }

  @usableFromInline
  init(
    from sources: @autoclosure @escaping @Sendable () -> [any StatePublisher],
    ageSource: @autoclosure @escaping @Sendable () -> (any StatePublisher)?, keepsValues: Bool = false,
    subscriptions: [ScopedSubscription]
  ) {
    self.subscriptions = subscriptions
    findSources = sources
    findAgeSource = ageSource
    self.keepsValues = keepsValues
  }
}

extension Derivation {
  /// Whether data from there is that of the sources; otherwise, it was kept or made up, and ages by itself.
  func isData(_ provenance: Provenance?) -> Bool {
    !keepsValues || ageSource?.provenance?.freshSince == provenance?.freshSince
  }
}

extension StatePublisher {
  fileprivate var provenance: Provenance? { current.provenance }
}

extension StatePublisher {
  /// Makes a derived publisher.
  ///
  /// Calls `next` for one transition at a time, and publishes its result if there is one. Nobody else publishes to the
  /// derived publisher, so within `next` its state is that of the previous transition.
  @inlinable @inline(__always)
  func derive<T: Sendable>(
    label: String?, on context: DeliveryContext, _ buffering: BufferingPolicy, keepsValues: Bool = false,
    _ next: @escaping @Sendable (Publication<Value>, Publisher<T>) -> Publication<T>?
  ) -> ReadOnlyPublisher<T> {
    let target = Publisher<T>(
      label: label, freshness: _access.freshness, PublisherExtras.forDerived(from: [_access.registry.extras]))
    let subscription = _access.connect(to: target, on: context, buffering) { next($0, target) }
    return ReadOnlyPublisher<T>(
      target,
      Derivation(from: [self], ageSource: self, keepsValues: keepsValues, subscriptions: [subscription]))
  }
}

extension Publisher {
  /// Publishes the next state of a derived publisher, with the values that its cause carries.
  ///
  /// The publisher begins as unknown, so a first state that is unknown makes no transition.
  @usableFromInline
  func publish(_ new: Publication<Value>, after cause: (any BoxedPublication)?, isFirst: Bool) {
    if isFirst, new.phase == .unknown { return }
    if let cause { new.carryValues(of: cause) }
    registry.publish(new)
  }
}

extension StateAccess {
  /// Makes a derived publisher follow this one on a context, from the current state on, until it finishes.
  ///
  /// Calls `next`, which runs the transform, and publishes its result, if there is one, for one transition at a time.
  @inlinable @inline(__always)
  func connect<T: Sendable>(
    to target: Publisher<T>, on context: DeliveryContext, _ buffering: BufferingPolicy,
    _ next: @escaping @Sendable (Publication<Value>) -> Publication<T>?
  ) -> ScopedSubscription {
    // With few frames, because the transitions of a chain nest.
    let publish: @Sendable (_ cause: Publication<Value>, _ isFirst: Bool) -> Void = { cause, isFirst in
      if let new = next(cause) { target.publish(new, after: cause, isFirst: isFirst) }
    }
    // Nil means that the source has finished.
    let make: @Sendable ((any BoxedPublication)?) -> Void = { box in
      guard let box else { return target.registry.finish() }
      let cause = Publication<Value>.from(box)
      if target.registry.extras != nil {
        cause.provideCarried { publish(cause, false) }
      } else if let new = next(cause) {
        target.registry.publish(new)
      }
    }
    let begin: @Sendable (Publication<Value>) -> Void = { first in first.provideCarried { publish(first, true) } }
    guard context == .immediate else {
      return registry.follow(as: ReadOnlyPublisher<T>.self, on: context, buffering) { box, isFirst in
        if isFirst { begin(Publication<Value>.from(box)) } else { make(box) }
      } finished: {
        make(nil)
      }
    }
    let queue = DerivingQueue<(any BoxedPublication)?>()
    // Held by the subscription alone, so that it goes with that.
    let held = HeldFunction(make)
    let receive: @Sendable ((any BoxedPublication)?) -> Void = { box in
      if queue.isBypassed.load(ordering: .acquiring) { held.call(box) } else { queue.receive(box, held.call) }
    }
    let (subscription, current) = registry.follow(as: ReadOnlyPublisher<T>.self, buffering) { _, box in
      receive(box)
    } finished: {
      receive(nil)
    }
    begin(Publication<Value>.from(current))
    queue.begin { [weak held] in held?.call($0) }
    return subscription
  }
}

/// A function that can be held weakly.
@usableFromInline @_fixed_layout
final class HeldFunction<Argument>: Sendable {
  @usableFromInline let call: @Sendable (Argument) -> Void

  @inlinable
  init(_ call: @escaping @Sendable (Argument) -> Void) { self.call = call }
}

extension PublisherRegistry {
  /// Subscribes to all states after the current one, on the publishing thread, and returns the current one; both in
  /// one step.
  ///
  /// A replay would come late if a delivery were under way at that moment, and the derived publisher would be `unknown`
  /// until then. Calls `finished` after the last state, if the publisher is finished.
  @usableFromInline
  nonisolated func follow(
    as subscriberType: Any.Type, _ buffering: BufferingPolicy = .unbounded, _ deliver: @escaping Deliver,
    finished: @escaping @Sendable () -> Void
  ) -> (ScopedSubscription, current: any BoxedPublication) {
    retireDeadListeners()
    let follower = SourceFollower(finished)
    let request = SubscriptionRequest(
      follower, ofType: subscriberType, through: SubscriberInterface(.derivation), on: .immediate,
      buffering: buffering, deliver: deliver)
    var effects = Effects()
    var current: (any BoxedPublication)?
    let action = turn { state in
      current = state.current
      return state.subscribe(request, at: self, replays: false, &effects)
    }
    effects.perform()
    finishSubscribing(action)
    guard let current else { stopForMisuse("\(source) is derived from after its end") }
    return (ScopedSubscription(action.subscription, of: follower), current)
  }

  /// Subscribes on a context, from the current state on.
  ///
  /// Calls `finished` after the last one, if the publisher is finished.
  @usableFromInline
  nonisolated func follow(
    as subscriberType: Any.Type, on context: DeliveryContext, _ buffering: BufferingPolicy,
    _ deliver: @escaping @Sendable (_ state: any BoxedPublication, _ isFirst: Bool) -> Void,
    finished: @escaping @Sendable () -> Void
  ) -> ScopedSubscription {
    let follower = SourceFollower(finished)
    let request = SubscriptionRequest(
      follower, ofType: subscriberType, through: SubscriberInterface(.derivation), on: context, buffering: buffering
    ) { subscriber, state in
      deliver(state, (subscriber as? SourceFollower)?.begin() ?? false)
    }
    return ScopedSubscription(subscribe(request), of: follower)
  }
}
