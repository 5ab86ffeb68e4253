import Dispatch
import Synchronization

/// The subscriptions of one object to all present and future publishers of a directory.
///
/// You don't need to keep it: it lasts as long as the object lives, and releasing this value changes nothing.
public final class DirectorySubscription: Sendable {
  private let subscriber: TypelessSubscriber
  private let state = Locked(State())
  /// Whether the main actor has been asked to look whether the object is dead.
  private let isLookDue = Atomic<Bool>(false)

  private struct State {
    var isCancelled = false
    /// The subscriptions at the publishers.
    var parts: [PublisherID: Part] = [:]
    /// The number of parts above which it is worth looking for parts that have ended.
    var sweepAt = 16
  }

  private struct Part {
    let registry: PublisherRegistry
    let subscription: Subscription
  }

  init(of subscriber: TypelessSubscriber) { self.subscriber = subscriber }

  /// Whether states may still be delivered, from present or future publishers.
  ///
  /// False once it was cancelled, its subscriber or the actor that is its context has died, or the directory was
  /// released.
  public var isActive: Bool { !isCancelled && isAlive }

  /// The active subscriptions, one for each living publisher, in no particular order.
  public var subscriptions: [Subscription] { current.map(\.subscription).filter(\.isActive) }

  /// Ends the subscriptions to all publishers, including future ones.
  ///
  /// No delivery from any of them begins after this call has returned. Deliveries from several publishers may still be
  /// under way.
  ///
  /// - Returns: `.alreadyCancelled` if this was cancelled or over before; otherwise the first of `.inFlight`,
  ///   `.reentrant`, and `.quiescent` that any of the subscriptions reports (3.02).
  /// - Complexity: O(*n*) in the number of publishers.
  @discardableResult
  public func cancel() -> CancelOutcome {
    // Checked before the parts release their closures, which may be the last to hold the subscriber.
    let wasAlive = isOutOfSight || isAlive
    // From here on nothing joins a publisher; the parts that joined earlier are found below.
    let wasCancelled = state.withLock { state in
      defer { state.isCancelled = true }
      return state.isCancelled
    }
    // Every caller cancels the parts: a second caller must not return before all of them are cancelled.
    let found = current.map { $0.subscription.cancelAsPart() }
      .reduce(CancelOutcome.alreadyCancelled) { $0.combined(with: $1) }
    sweep()
    guard wasAlive, !wasCancelled else { return .alreadyCancelled }
    // It was also for future publishers, even if there is none at present.
    return found == .alreadyCancelled ? .quiescent : found
  }

  /// Ends the subscriptions and waits until no delivery is under way, even if they were cancelled before.
  ///
  /// Ignores the cancellation of the task that calls it. Inside one of its own deliveries, it doesn't wait for that
  /// delivery (3.04).
  public func cancelAndWait() async {
    cancel()
    for part in current { await part.subscription.cancelAndWait() }
    sweep()
  }

  private var current: [Part] { state.withLock { Array($0.parts.values) } }
}

/// Liveness of the subscriber, and of its actor.
extension DirectorySubscription {
  /// Returns whether this is the active subscription of the object that `other` names; the caller holds that object.
  func isActive(for other: borrowing TypelessSubscriber) -> Bool {
    subscriber.object === other.object && !isCancelled && !isContextGone
  }

  private var isCancelled: Bool { state.withLock(\.isCancelled) }

  private var isContextGone: Bool { subscriber.context.isGone(subscriber.context.actor) }

  /// Whether only the main actor may look at the subscriber, and this isn't the main actor (2.05).
  private var isOutOfSight: Bool { subscriber.key.isOnMainActor && !QueueReference.isOnMain }

  /// Whether the subscriber is alive, or counts as alive until the main actor has looked; not inside a lock.
  private var isAlive: Bool {
    guard isOutOfSight else { return subscriber.object != nil && !isContextGone }
    if !isLookDue.exchange(true, ordering: .relaxed) {
      DispatchQueue.main.submit { [weak self] in
        self?.isLookDue.store(false, ordering: .relaxed)
        self?.cancelIfDead()
      }
    }
    return true
  }

  private func cancelIfDead() { if !isAlive { cancel() } }
}

/// Joining publishers.
extension DirectorySubscription {
  /// Subscribes to a publisher, unless it is cancelled or has already subscribed there.
  ///
  /// If another thread has to hold an object of the main actor, the main actor releases it.
  func join(_ publisher: PublisherEntry) {
    // The turn compares actors, and must not be the last to release one.
    let actor = subscriber.context.actor
    defer { withExtendedLifetime(actor) {} }
    guard !subscriber.context.isGone(actor) else { return }
    guard let object = unsafe retainedSubscriber() else { return }
    joinNow(publisher)
    guard isOutOfSight else { return unsafe object.release() }
    let held = unsafe Locked<Unmanaged<AnyObject>?>(object)
    DispatchQueue.main.submit { unsafe held.withLock { unsafe $0.take() }?.release() }
  }

  /// The subscriber, retained by hand.
  ///
  /// Not inlined, so that nothing else holds the object when this function returns.
  @inline(never)
  private func retainedSubscriber() -> Unmanaged<AnyObject>? {
    guard let object = subscriber.object else { return nil }
    return unsafe .passRetained(object)
  }

  /// Joins the publisher.
  ///
  /// Not inlined, so that nothing holds the subscriber when this function returns.
  ///
  /// Checking for a cancel and subscribing is one step: the registry's turn is taken inside this object's lock, and
  /// never the other way around.
  @inline(never)
  private func joinNow(_ publisher: PublisherEntry) {
    let request = publisher.request(subscriber)
    publisher.registry.subscribe(request) { takeTurn in
      state.withLock { state in
        guard !state.isCancelled, state.parts[publisher.id] == nil, let subscription = takeTurn() else { return }
        state.parts[publisher.id] = Part(registry: publisher.registry, subscription: subscription)
      }
    }
    if state.withLock({ $0.parts.count > $0.sweepAt }) { sweep() }
  }

  /// Removes parts that have ended for good.
  ///
  /// A part that has ended at a living publisher stays, so that the subscriber doesn't join there again.
  private func sweep() {
    let isOver = isCancelled
    let ended = current.filter { $0.subscription.isOver && (isOver || $0.registry.isReleased) }
    // The removed parts are held here, so nothing is released under the lock.
    state.withLock { state in
      for part in ended { state.parts[part.registry.source] = nil }
      state.sweepAt = 2 * state.parts.count + 16
    }
  }
}

extension DirectorySubscription: Hashable {
  /// Returns whether both are the same object.
  public static func == (left: DirectorySubscription, right: DirectorySubscription) -> Bool { left === right }

  /// Hashes the object's identity.
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

extension DirectorySubscription: CustomStringConvertible {
  /// The subscriber, its context, and the number of publishers, for logs.
  public var description: String {
    let count = subscriptions.count
    let state = isActive ? "\(count) \(count == 1 ? "subscription" : "subscriptions")" : "ended"
    return "\(subscriber.type) on \(subscriber.context) of all publishers, \(state)"
  }
}
