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
    let begin: @Sendable (Publication<Value>) -> Void = { first in
      first.provideCarried {
        // If there was no value, and there still is none, that is no transition.
        guard let new = next(first), new.phase != .unknown else { return }
        new.carryValues(of: first)
        target.registry.publish(new)
      }
    }
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
      if queue.isOver.load(ordering: .acquiring) { held.call(box) } else { queue.receive(box, held.call) }
    }
    let (subscription, current) = registry.follow(as: ReadOnlyPublisher<T>.self, buffering) { _, box in
      receive(box)
    } finished: {
      receive(nil)
    }
    begin(Publication<Value>.from(current))
    queue.makeFirst { [weak held] in held?.call($0) }
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

/// What the sources of a derived publisher have sent that it still has to turn into transitions, one at a time.
///
/// The deriving thread makes the first transition. If another thread delivers for a source in the meantime, or the
/// transform publishes to it, what is new waits. The deriving thread also makes the transitions of the first few, but
/// not of all, because others may publish faster than it can follow; nor does a thread that delivers, later, go on for
/// others without end (2.03). From then on, each delivery makes the transitions that wait before it makes its own. If
/// there is no delivery within a millisecond, a thread of Dispatch makes them.
///
/// A value: each operation returns what its caller has to do.
struct DerivedState<Event> {
  private var waiting: [Event] = []
  /// The thread that is making transitions, so that no other may.
  private var maker: ThreadToken?
  /// Whether other threads have sent some of what waits.
  private var isFromOthers = false
  /// How many events the maker may still take for others.
  private var left: Int

  enum Next {
    case make([Event])
    case nothing
    /// Another thread has to make the rest.
    case rest
  }

  /// How many events of others a thread takes that delivers, and one that derives.
  static var limits: (delivering: Int, deriving: Int) { (256, 16) }

  /// Begins with the thread that derives.
  init(on thread: ThreadToken) { (maker, isFromOthers, left) = (thread, true, Self.limits.deriving) }

  /// Adds an event; returns whether the caller has to make the transitions that wait.
  mutating func receive(_ event: Event, on thread: ThreadToken) -> Bool {
    waiting.append(event)
    if let maker {
      if maker != thread { isFromOthers = true }
      return false
    }
    (maker, left) = (thread, Self.limits.delivering)
    return true
  }

  /// Returns what the maker has to make next.
  mutating func next() -> Next {
    if waiting.isEmpty {
      (maker, isFromOthers) = (nil, false)
      return .nothing
    }
    let count = isFromOthers ? min(left, waiting.count) : waiting.count
    if count == 0 {
      maker = nil
      return .rest
    }
    if isFromOthers { left -= count }
    let taken = Array(waiting.prefix(count))
    waiting.removeFirst(count)
    return .make(taken)
  }

  /// Returns what waits for the thread that hasn't made the first transition yet, and goes on making it.
  mutating func takeAll() -> [Event] {
    defer { waiting = [] }
    return waiting
  }

  /// Returns whether the caller has to make the rest, to the end: not if a thread is doing so, or has done so.
  mutating func beginRest(on thread: ThreadToken) -> Bool {
    if maker != nil || waiting.isEmpty { return false }
    (maker, left) = (thread, .max)
    return true
  }
}

/// The state of a derived publisher that several threads send events to.
@usableFromInline
final class DerivingQueue<Event: Sendable>: Sendable {
  /// Whether a thread has found nothing waiting: from then on, the deliveries of a single source need no queue.
  ///
  /// Set under the lock. A thread that finds it set acquires the effects of the transitions made before.
  @usableFromInline let isOver = Atomic<Bool>(false)
  private let state = Locked(DerivedState<Event>(on: .current))
  /// Makes a transition; holds nothing that goes with the derived publisher, because a thread may make the rest later.
  private let make = Locked<(@Sendable (Event) -> Void)?>(nil)

  @usableFromInline init() {}

  /// Makes the transitions of the events that wait, and then that of a new one.
  ///
  /// If another thread is making transitions, the new one waits as well. `make` is foreign code.
  @usableFromInline
  func receive(_ new: Event, _ make: (Event) -> Void) {
    if state.withLock({ $0.receive(new, on: .current) }) { makeWaiting(make) }
  }

  /// Returns what waits before the first transition was made; on the thread that makes it.
  func takeAll() -> [Event] { state.withLock { $0.takeAll() } }

  /// Makes the transitions of events that wait, after the first one was made.
  @usableFromInline
  func makeFirst(_ make: @escaping @Sendable (Event) -> Void) {
    self.make.withLock { $0 = make }
    makeWaiting(make)
  }

  private func makeWaiting(_ make: (Event) -> Void) {
    while true {
      switch next() {
      case .nothing: return
      case .make(let events): events.forEach(make)
      case .rest:
        // Weakly, so that a derived publisher that is released now doesn't live on.
        return DispatchQueue.withOwnThread().asyncAfter(deadline: .now() + .milliseconds(1)) { [weak self] in
          self?.makeRest()
        }
      }
    }
  }

  /// Continues, unless a delivery is doing so or has done so in the meantime.
  func makeRest() {
    guard let make = make.withLock({ $0 }), state.withLock({ $0.beginRest(on: .current) }) else { return }
    makeWaiting(make)
  }

  private func next() -> DerivedState<Event>.Next {
    state.withLock { state in
      let next = state.next()
      if case .nothing = next { isOver.store(true, ordering: .releasing) }
      return next
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
    finishSubscribing(action, contextIsGone: false)
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
