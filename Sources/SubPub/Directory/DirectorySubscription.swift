/// The subscriptions of one object to all present and future publishers of a directory.
///
/// You don't need to keep it: it lasts as long as the object lives, and releasing this value changes nothing.
public final class DirectorySubscription: Sendable {
  /// The object's membership in the directory, which tells whether it is alive.
  ///
  /// Nothing is delivered to it.
  private let membership: Subscription
  private let subscriber: TypelessSubscriber
  /// The subscriptions at the publishers.
  private let parts = Locked(Parts())

  private struct Parts {
    var all: [PublisherID: Part] = [:]
    /// The number of parts above which it is worth looking for parts that have ended.
    var sweepAt = 16
  }

  private struct Part {
    let registry: PublisherRegistry
    let subscription: Subscription
  }

  init(_ membership: Subscription, of subscriber: TypelessSubscriber) {
    self.membership = membership
    self.subscriber = subscriber
  }

  /// Whether states may still be delivered, from present or future publishers.
  ///
  /// False once it was cancelled, its subscriber or the actor that is its context has died, or the directory was
  /// released.
  public var isActive: Bool { membership.isActive }

  /// The active subscriptions, one for each living publisher, in no particular order.
  public var subscriptions: [Subscription] { current.map(\.subscription).filter(\.isActive) }

  /// Ends the subscriptions to all publishers, including future ones.
  ///
  /// No delivery from any of them begins after this call has returned. Deliveries from several publishers may be under
  /// way.
  ///
  /// - Returns: `.alreadyCancelled` if this was cancelled or over before; otherwise the first of `.inFlight`,
  ///   `.reentrant`, and `.quiescent` that any of the subscriptions reports (3.02).
  /// - Complexity: O(*n*) in the number of publishers.
  @discardableResult
  public func cancel() -> CancelOutcome {
    // From here on nothing joins a publisher; the parts that joined earlier are found below.
    let outcome = membership.cancel()
    // Every caller cancels the parts: a second caller must not return before all of them are cancelled.
    let found = current.map { $0.subscription.cancelAsPart() }
      .reduce(CancelOutcome.alreadyCancelled) { $0.combined(with: $1) }
    sweep()
    guard outcome == .quiescent else { return .alreadyCancelled }
    // It was also for future publishers, even if there are none at present.
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

  private var current: [Part] { parts.withLock { Array($0.all.values) } }
}

extension DirectorySubscription {
  /// Subscribes to a publisher, unless it is cancelled or has already subscribed there.
  ///
  /// Checking for a cancel and subscribing is one step: the registry's turn is taken inside this object's lock, and
  /// never the other way around.
  func join(_ publisher: PublisherEntry) {
    // The turn compares actors, and must not be the last to release one.
    let context = membership.context
    let actor = context.actor
    defer { withExtendedLifetime(actor) {} }
    guard !context.isGone(actor) else { return }
    publisher.registry.retireDeadListeners()
    membership.whileSubscriberLives { joinNow(publisher) }
  }

  /// Joins the publisher; not inlined, so that nothing holds the subscriber when this returns.
  @inline(never)
  private func joinNow(_ publisher: PublisherEntry) {
    let request = publisher.request(subscriber)
    var effects = Effects()
    let action: SubscribeAction? = parts.withLock { parts in
      guard membership.gate.isOpen, parts.all[publisher.id] == nil,
        let action = publisher.registry.subscribeUnlessEnded(request, &effects)
      else { return nil }
      parts.all[publisher.id] = Part(registry: publisher.registry, subscription: action.subscription)
      return action
    }
    effects.perform()
    guard let action else { return }
    publisher.registry.finishSubscribing(action, contextIsGone: false)
    _ = consume effects
    if parts.withLock({ $0.all.count > $0.sweepAt }) { sweep() }
  }

  /// Removes parts that have ended for good.
  ///
  /// A part that was ended at a living publisher stays, so that nothing joins there again.
  private func sweep() {
    let isOver = !membership.gate.isOpen
    let ended = current.filter {
      !$0.subscription.gate.isOpen && !$0.subscription.gate.reading.isUnderWay && (isOver || $0.registry.hasEnded)
    }
    // The removed parts are held here, so nothing is released under the lock.
    parts.withLock { parts in
      for part in ended { parts.all[part.registry.source] = nil }
      parts.sweepAt = 2 * parts.all.count + 16
    }
  }
}

extension Subscription {
  /// Cancels one of several subscriptions.
  ///
  /// A subscription that was cancelled before may still have a delivery under way, which the silence of the others must
  /// not hide.
  fileprivate func cancelAsPart() -> CancelOutcome {
    let outcome = cancel()
    guard outcome == .alreadyCancelled, gate.reading.isUnderWay else { return outcome }
    return lane.isServedHere ? .reentrant : .inFlight
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
    return "\(membership.subscriberType) on \(membership.context) of all publishers, \(state)"
  }
}
