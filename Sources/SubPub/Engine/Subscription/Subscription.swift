import Synchronization

/// A connection of one subscriber to one publisher, with a delivery context and a buffering policy.
///
/// You don't need to keep it: a subscription lasts as long as its subscriber lives, and releasing this object changes
/// nothing (3.06). It keeps neither the subscriber nor the publisher alive.
public final class Subscription: Sendable {
  /// The subscriber, held weakly (2.05).
  weak let subscriber: (any AnyObject & Sendable)?
  /// The subscriber's address: a key that is never dereferenced.
  let subscriberID: ObjectIdentifier
  /// The subscriber's class; for a sequence, the type of its iterator.
  public let subscriberType: Any.Type
  let interface: SubscriberInterface
  private let details: SubscriptionDetails?
  let lane: Lane
  /// What was delivered, if states may be skipped; nil if versions alone tell, and for an iterator.
  let counts: DeliveryCounts?
  let gate: DeliveryGate
  /// The version of the first state: it and every later one are put into the buffer.
  package let firstVersion: UInt64
  // The next two are small because there may be many subscriptions, and no memory holds so many states or entries.
  /// The largest number of states that were ever pending.
  private let mostPending = Atomic<UInt32>(0)
  // The index in the lane's list. Accessed inside turns, which order the accesses.
  private let place = Atomic<Int32>(-1)

  init(_ request: borrowing SubscriptionRequest, in lane: Lane, from version: UInt64) {
    subscriber = request.subscriber
    subscriberID = ObjectIdentifier(request.subscriber)
    subscriberType = request.subscriberType
    interface = request.interface
    details = request.details
    counts = lane.keptCount == .max || lane.isIteration ? nil : DeliveryCounts()
    self.lane = lane
    gate = DeliveryGate(next: version, lane.registry.schedulingPoints.makePoint())
    firstVersion = version
  }

  /// The index in the lane's list, -1 once the closure was taken away; accessed inside turns.
  var slot: Int {
    get { Int(place.load(ordering: .relaxed)) }
    set { place.store(Int32(newValue), ordering: .relaxed) }
  }

  /// The name that the subscriber has given.
  public var label: String? { details?.label }

  /// Whether it is an iteration that goes on after the publication that a client has already received (6.05).
  var isResumed: Bool { details?.isResumed ?? false }

  /// How many states may be pending, and which one a new state replaces.
  public var buffering: BufferingPolicy { lane.policy }

  /// Where deliveries run.
  public var context: DeliveryContext { lane.context }

  /// The ``StatePublisher/id`` of the publisher.
  public var source: PublisherID { lane.registry.source }

  /// Whether states may still be delivered.
  ///
  /// False once the subscription was cancelled or has fallen behind (2.11), or its subscriber or the actor that is its
  /// context has died. After the publisher was finished or released, it stays true until all pending states have been
  /// delivered. To other threads, a dead subscriber of the main actor counts as alive until the main actor has looked;
  /// reading this asks it to look.
  public var isActive: Bool { gate.isOpen && isAlive }

  /// Whether it has ended, and no delivery is under way.
  var isOver: Bool { gate.reading.isClosed && !gate.reading.isUnderWay }
}

extension Subscription {
  /// Ends the subscription.
  ///
  /// No delivery begins after `cancel()` has returned. Pending states are dropped and counted as skipped. The
  /// subscriber's closure is released before a ``CancelOutcome/quiescent`` cancel returns; otherwise, it is released at
  /// the latest when the round under way in its lane ends (3.05).
  ///
  /// Call it from any thread, from inside any callback, and from any `deinit`; it never waits for a subscriber (3.01).
  /// On the subscription's own serial context, and inside its own callback, the outcome is never
  /// ``CancelOutcome/inFlight`` (3.03).
  ///
  /// - Returns: Whether a delivery was under way, and where (3.02).
  /// - Complexity: Amortized O(1).
  @discardableResult
  public func cancel() -> CancelOutcome { lane.registry.cancel(self) }

  /// Cancels one of several subscriptions of an object.
  ///
  /// One that was cancelled before may still have a delivery under way, which the outcomes of the others must not hide.
  func cancelAsPart() -> CancelOutcome {
    let outcome = cancel()
    guard outcome == .alreadyCancelled, gate.reading.isUnderWay else { return outcome }
    return lane.outcomeUnderWay
  }

  /// Ends the subscription and waits until none of its deliveries is under way.
  ///
  /// It waits even if the subscription was already cancelled, and ignores the cancellation of its own task. Inside the
  /// subscription's own delivery it returns at once instead of deadlocking (3.04).
  public func cancelAndWait() async {
    cancel()
    await lane.registry.waitForDelivery(of: self)
  }
}

extension Subscription {
  /// The newest version when it joined: unlike `firstVersion`, it never decreases from slot to slot.
  ///
  /// A derived publisher takes the current state itself and receives later ones, so whoever joins behind it may begin
  /// one version earlier. Where nothing is replayed, all begin one version later.
  var joinVersion: UInt64 { interface.isDerivation && lane.isImmediate ? firstVersion - 1 : firstVersion }

  /// Returns whether the delivery of a state up to a version is still to begin; the gate is open.
  func awaitsState(upTo version: UInt64, at reading: DeliveryGate.Reading, newest: UInt64) -> Bool {
    reading.next <= version && firstKept(of: newest) <= version
  }

  /// The first version that the buffer keeps when `newest` is the newest one; earlier states are skipped.
  func firstKept(of newest: UInt64) -> UInt64 {
    newest < UInt64(lane.keptCount) ? 0 : newest - UInt64(lane.keptCount) + 1
  }

  /// Records the number of pending states before one is taken or all are dropped.
  @inline(__always)
  func noteBacklog(from next: UInt64, newest: UInt64) {
    let pending = min(Int(newest + 1 - next), lane.capacity)
    if pending > highWater { mostPending.max(UInt32(clamping: pending), ordering: .relaxed) }
  }

  @inline(__always) var highWater: Int { Int(mostPending.load(ordering: .relaxed)) }
}

extension Subscription {
  /// Why the subscription has ended; nil as long as states may be delivered.
  ///
  /// A delivery may still be under way: see ``ended()``.
  public var end: SubscriptionEnd? {
    // So that what is returned once is final.
    if gate.isOpen { lane.registry.retire([self]) }
    // In a turn, so that the counts of an iterator are final, too.
    return lane.iteration == nil ? gate.reason : lane.registry.turn { _ in gate.reason }
  }

  /// Waits until the subscription has ended and none of its deliveries is under way (3.10).
  ///
  /// A delivery to an iterator begins and ends when `next()` takes the state. So if this waits for the subscription of
  /// a sequence, the loop over it may still be busy with its last element.
  ///
  /// While somebody waits, the publisher looks for dead subscribers 20 times a second.
  ///
  /// - Returns: Why it has ended; nil if the task is cancelled first.
  public func ended() async -> SubscriptionEnd? { await lane.registry.waitForEnd(of: self) }
}

extension Subscription {
  /// Whether the subscriber is alive, and also the actor if the context is one; see `loss`.
  @inline(__always) var isAlive: Bool { loss == nil }

  /// How the subscription ends because its subscriber, or the actor that is its context, has died; nil if both live.
  ///
  /// Not inside a turn: reading the weak references retains both objects briefly, and that can become the last
  /// reference to them. Main-actor objects needn't be `Sendable` and must not die on another thread, so no other thread
  /// looks at them: there they count as alive until the main actor has looked.
  @inline(__always)
  var loss: SubscriptionEnd? {
    if isOutOfSight {
      lane.registry.sweepOnMainActor()
    } else if subscriber == nil {
      return .subscriberReleased
    }
    return lane.isContextGone ? .contextReleased : nil
  }

  /// Whether only the main actor may look at the subscriber, and this isn't the main actor.
  var isOutOfSight: Bool { interface.isOnMainActor && !QueueReference.isOnMain }
}

extension Subscription: Hashable {
  /// Returns whether both are the same object.
  public static func == (left: Subscription, right: Subscription) -> Bool { left === right }

  /// Hashes the object's identity.
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

extension Subscription: CustomStringConvertible {
  /// The label or the subscriber's type, the context, and the publisher, for logs.
  ///
  /// For example: `Screen on main of news, unbounded, 3 delivered, 1 pending`.
  public var description: String {
    let statistics = statistics
    let state = isActive ? "\(statistics.pending) pending" : "ended"
    return
      "\(label?.onOneLine ?? "\(subscriberType)") on \(context) of \(source), \(buffering), \(statistics.delivered) delivered, \(state)"
  }
}
