import Dispatch
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
    label: String?, keepsValues: Bool = false,
    _ next: @escaping @Sendable (Publication<Value>, Publisher<T>) -> Publication<T>?
  ) -> ReadOnlyPublisher<T> {
    let target = Publisher<T>(
      label: label, freshness: _access.freshness, PublisherExtras.forDerived(from: [_access.registry.extras]))
    let subscription = _access.connect(to: target) { next($0, target) }
    return ReadOnlyPublisher<T>(
      target,
      Derivation(from: [self], ageSource: self, keepsValues: keepsValues, subscriptions: [subscription]))
  }
}

extension StateAccess {
  /// Makes a derived publisher follow this one, from the current state on, until it finishes.
  ///
  /// Calls `next`, which runs the transform, and publishes its result, if there is one, for one transition at a time.
  @inlinable @inline(__always)
  func connect<T: Sendable>(
    to target: Publisher<T>, _ next: @escaping @Sendable (Publication<Value>) -> Publication<T>?
  ) -> ScopedSubscription {
    // With few frames, because the transitions of a chain nest.
    let publish: @Sendable (Publication<Value>) -> Void = { cause in
      guard let new = next(cause) else { return }
      new.carryValues(of: cause)
      target.registry.publish(new)
    }
    // Nil means that the source has finished.
    let make: @Sendable ((any BoxedPublication)?) -> Void = { box in
      guard let box else { return target.registry.finish() }
      let cause = Publication<Value>.from(box)
      if target.registry.extras != nil {
        cause.provideCarried { publish(cause) }
      } else if let new = next(cause) {
        target.registry.publish(new)
      }
    }
    let queue = DerivingQueue<(any BoxedPublication)?>()
    // Held by the subscription alone, so that it goes with that.
    let held = HeldFunction(make)
    let receive: @Sendable ((any BoxedPublication)?) -> Void = { box in
      if queue.isOver.load(ordering: .acquiring) { held.call(box) } else { queue.receive(box, held.call) }
    }
    let (subscription, current) = registry.follow(as: ReadOnlyPublisher<T>.self) { _, box in
      receive(box)
    } finished: {
      receive(nil)
    }
    let first = Publication<Value>.from(current)
    first.provideCarried {
      guard let new = next(first), new.phase != .unknown else { return }
      new.carryValues(of: first)
      target.registry.publish(new)
    }
    queue.makeWaiting { [weak held] in held?.call($0) }
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

/// The elements that a derived publisher still has to turn into transitions, one at a time.
///
/// The deriving thread makes the first transition. If another thread delivers for a source in the meantime, or the
/// transform publishes to it, the new elements wait. The deriving thread also makes the transitions of the first few of
/// them, but not of all, because others may publish faster than it can follow. From then on, each delivery makes the
/// transitions that wait before it makes its own. If there is no delivery within a millisecond, a thread of Dispatch
/// makes them.
@usableFromInline
final class DerivingQueue<Element: Sendable>: Sendable {
  private struct State {
    var waiting: [Element] = []
    /// Whether a thread is making transitions, so that no other may.
    var isMaking = true
  }

  private enum Next {
    case make([Element])
    case nothing
    /// Another thread has to make the rest.
    case rest
  }

  /// Whether a thread has found nothing waiting: from then on, the deliveries of a single source need no queue.
  ///
  /// Set under the lock. A thread that finds it set acquires the effects of the transitions made before.
  @usableFromInline let isOver = Atomic<Bool>(false)
  private let state = Locked(State())

  /// How many elements a thread takes if it isn't delivering.
  private static var limit: Int { 16 }

  @usableFromInline init() {}

  /// Makes the transitions of the elements that wait, and then that of a delivered element.
  ///
  /// If another thread is making transitions, the delivered element waits as well. `make` is foreign code.
  @usableFromInline
  func receive(_ new: Element, _ make: (Element) -> Void) {
    let isMaker = state.withLock { state in
      state.waiting.append(new)
      defer { state.isMaking = true }
      return !state.isMaking
    }
    if isMaker { while case .make(let elements) = takeWaiting(atMost: .max) { elements.forEach(make) } }
  }

  /// Makes the transitions of elements that wait, up to a limit.
  ///
  /// `make` holds nothing that goes with the derived publisher: a thread may make the rest later.
  @usableFromInline
  func makeWaiting(_ make: @escaping @Sendable (Element) -> Void) {
    var limit = Self.limit
    while true {
      switch takeWaiting(atMost: limit) {
      case .nothing: return
      case .make(let elements):
        limit -= elements.count
        elements.forEach(make)
      case .rest:
        // Weakly, so that a derived publisher that is released now doesn't live on.
        return DispatchQueue.withOwnThread().asyncAfter(deadline: .now() + .milliseconds(1)) { [weak self] in
          self?.makeRest(make)
        }
      }
    }
  }

  /// Continues, unless a delivery is doing so or has done so in the meantime.
  func makeRest(_ make: @escaping @Sendable (Element) -> Void) {
    let isMaker = state.withLock { state in
      if state.isMaking || state.waiting.isEmpty { return false }
      state.isMaking = true
      return true
    }
    if isMaker { makeWaiting(make) }
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
  /// Calls `finished` after the last one, if the publisher is finished.
  ///
  /// Both happen in one step. A replay would come late if a delivery were under way at that moment, and the derived
  /// publisher would be `unknown` until then.
  @usableFromInline
  nonisolated func follow(
    as subscriberType: Any.Type, _ deliver: @escaping Deliver, finished: @escaping @Sendable () -> Void
  ) -> (ScopedSubscription, current: any BoxedPublication) {
    retireDeadListeners()
    let follower = SourceFollower(finished)
    let request = SubscriptionRequest(
      follower, ofType: subscriberType, through: SubscriberInterface(.derivation), on: .immediate,
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
    return (ScopedSubscription(action.subscription, of: follower), current)
  }
}
