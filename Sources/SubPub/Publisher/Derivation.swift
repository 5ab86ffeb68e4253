public import Synchronization

/// A source of a derived publisher, as far as the age of data is concerned.
protocol DerivationSource: AnyObject, Sendable {
  var isStale: Bool { get }
  /// The age of the current data, or previous data; nil if there is none, or if it isn't measured.
  var currentAge: Duration? { get }
}

extension ReadOnlyPublisher: DerivationSource {
  var currentAge: Duration? { age(of: current) }
}

extension ReadOnlyPublisher {
  @usableFromInline
  convenience init<Source>(
    _ target: Publisher<Value>, following source: ReadOnlyPublisher<Source>, _ subscription: ScopedSubscription
  ) {
    self.init(target, derivation: Derivation(from: [source], ageSource: source, subscriptions: [subscription]))
  }
}

/// What a derived publisher holds: its sources, and its subscriptions there, which end with it.
@usableFromInline
final class Derivation: Sendable {
  private let subscriptions: [ScopedSubscription]
  let sources: [any DerivationSource]
  /// The source whose data the publisher has; nil if it combines several.
  let ageSource: (any DerivationSource)?

  init(
    from sources: [any DerivationSource], ageSource: (any DerivationSource)?, subscriptions: [ScopedSubscription]
  ) {
    self.subscriptions = subscriptions
    self.sources = sources
    self.ageSource = ageSource
  }
}

extension Publisher {
  /// Makes a derived publisher of `T` follow this one, from the current state on.
  ///
  /// Calls `next`, and then `publish` with its result, for one transition after the other, and never for two at once.
  /// `next` runs the transform; `publish` runs `==` and immediate subscribers.
  @inlinable @inline(__always)
  func connect<T: Sendable>(
    as _: T.Type, _ next: @escaping @Sendable (Publication<Value>) -> Publication<T>,
    publish: @escaping @Sendable (Publication<T>) -> Void
  ) -> ScopedSubscription {
    let beginning = Beginning()
    let (subscription, current) = registry.follow(as: ReadOnlyPublisher<T>.self) { _, box in
      if beginning.admits(box) { publish(next(Publication<Value>.from(box))) }
    }
    let first = next(Publication<Value>.from(current))
    if first.phase != .unknown { publish(first) }
    while let waiting = beginning.takeWaiting() {
      for box in waiting { publish(next(Publication<Value>.from(box))) }
    }
    return subscription
  }
}

/// Keeps later states back until the first transition of a derived publisher has been made.
///
/// The deriving thread makes the first transition. Meanwhile another thread may deliver for the source, or the
/// transform may publish to it.
@usableFromInline
final class Beginning: Sendable {
  // Set once, under the lock. Finding it set acquires the transitions that were made before.
  @usableFromInline let isOver = Atomic<Bool>(false)
  private let waiting = Locked<[any BoxedPublication]>([])

  @usableFromInline
  init() {}

  /// Returns whether the caller makes the transition of this state; otherwise, the deriving thread will make it.
  @inlinable @inline(__always)
  func admits(_ state: any BoxedPublication) -> Bool { isOver.load(ordering: .acquiring) || !keep(state) }

  @usableFromInline
  func keep(_ state: any BoxedPublication) -> Bool {
    waiting.withLock { waiting in
      if isOver.load(ordering: .relaxed) { return false }
      waiting.append(state)
      return true
    }
  }

  /// Takes all states that wait; nil if there are none, which ends the beginning.
  @usableFromInline
  func takeWaiting() -> [any BoxedPublication]? {
    waiting.withLock { waiting in
      if waiting.isEmpty {
        isOver.store(true, ordering: .releasing)
        return nil
      }
      defer { waiting = [] }
      return waiting
    }
  }
}

extension PublisherRegistry {
  /// Subscribes to all states after the current one, on the publishing thread, and returns the current one.
  ///
  /// Both happen in one step. A replay would come late if a delivery is under way at the moment, and the derived
  /// publisher would be `unknown` until then.
  @usableFromInline
  nonisolated func follow(
    as subscriberType: Any.Type, _ deliver: @escaping Deliver
  ) -> (ScopedSubscription, current: any BoxedPublication) {
    retireDeadListeners()
    let observer = ScopedSubscription.Observer()
    let request = SubscriptionRequest(
      observer, ofType: subscriberType, through: SubscriberInterface(.derivation), on: .immediate,
      buffering: .unbounded, deliver: deliver)
    var effects = Effects()
    var current: (any BoxedPublication)?
    let action = turn { state in
      current = state.current
      return state.subscribe(request, at: self, replays: false, &effects)
    }
    effects.perform()
    finishSubscribing(action, contextIsGone: false)
    guard let current else { stopForMisuse("\(source) is derived from after its end") }
    return (ScopedSubscription(action.subscription, of: observer), current)
  }
}
