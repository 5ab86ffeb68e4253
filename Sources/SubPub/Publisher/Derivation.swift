import Dispatch
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
    let beginning = Beginning { box in publish(next(Publication<Value>.from(box))) }
    let (subscription, current) = registry.follow(as: ReadOnlyPublisher<T>.self) { _, box in
      if beginning.isOver.load(ordering: .acquiring) {
        publish(next(Publication<Value>.from(box)))
      } else {
        beginning.receive(box)
      }
    }
    let first = next(Publication<Value>.from(current))
    if first.phase != .unknown { publish(first) }
    beginning.makeWaiting()
    return subscription
  }
}

/// Keeps later states back until the first transition of a derived publisher has been made.
///
/// The deriving thread makes the first transition. Meanwhile another thread may deliver for the source, or the
/// transform may publish to it. The deriving thread also makes the transitions of the first states that wait, but not of
/// more than a few, because others may publish faster than it makes them. From then on, the next delivery makes
/// those that wait, before its own. If none comes within a millisecond, a thread of Dispatch does.
@usableFromInline
final class Beginning: Sendable {
  private struct State {
    var waiting: [any BoxedPublication] = []
    /// Whether a thread is making transitions, so that no other may.
    var isMaking = true
  }

  private enum Next {
    case make([any BoxedPublication])
    /// Nothing waits, so the beginning is over.
    case nothing
    /// Somebody else has to make the rest.
    case rest
  }

  /// How many states a thread takes that isn't delivering.
  private static let limit = 16

  // Set under the lock. Finding it set acquires the transitions that were made before.
  @usableFromInline let isOver = Atomic<Bool>(false)
  private let state = Locked(State())
  /// Makes the transition of a state; foreign code.
  private let make: @Sendable (any BoxedPublication) -> Void

  @usableFromInline
  init(_ make: @escaping @Sendable (any BoxedPublication) -> Void) { self.make = make }

  /// Makes the transition of a state that is delivered, after those of the states that wait.
  ///
  /// If another thread is making transitions, the state waits. A subscription's deliveries never overlap, so the others
  /// that wait are all that comes before.
  @usableFromInline
  func receive(_ new: any BoxedPublication) {
    let isMaker = state.withLock { state in
      state.waiting.append(new)
      defer { state.isMaking = true }
      return !state.isMaking
    }
    if isMaker { while case .make(let states) = takeWaiting(atMost: .max) { states.forEach(make) } }
  }

  /// Makes the transitions of states that wait, up to a limit.
  @usableFromInline
  func makeWaiting() {
    var limit = Self.limit
    while true {
      switch takeWaiting(atMost: limit) {
      case .nothing: return
      case .make(let states):
        limit -= states.count
        states.forEach(make)
      case .rest:
        // Weakly, so that a derived publisher that is released now doesn't live on.
        return DispatchQueue.withOwnThread().asyncAfter(deadline: .now() + .milliseconds(1)) { [weak self] in
          self?.makeRest()
        }
      }
    }
  }

  /// Goes on if no delivery has done so since.
  private func makeRest() {
    let isMaker = state.withLock { state in
      if state.isMaking || state.waiting.isEmpty { return false }
      state.isMaking = true
      return true
    }
    if isMaker { makeWaiting() }
  }

  private func takeWaiting(atMost limit: Int) -> Next {
    state.withLock { state in
      if state.waiting.isEmpty || limit == 0 { state.isMaking = false }
      if state.waiting.isEmpty {
        isOver.store(true, ordering: .releasing)
        return .nothing
      }
      if limit == 0 { return .rest }
      let taken = Array(state.waiting.prefix(limit))
      state.waiting.removeFirst(taken.count)
      return .make(taken)
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
