import Synchronization

/// One subscriber at one publisher, on one delivery context, with one buffering policy.
///
/// You needn't keep it: a subscription lasts as long as its subscriber lives, and releasing this value changes nothing
/// (3.06). It keeps neither the subscriber nor the publisher alive.
public final class Subscription: Sendable {
  /// Held weakly (2.05).
  weak let subscriber: (any AnyObject & Sendable)?
  /// The subscriber's address: a key that is never dereferenced.
  let subscriberID: ObjectIdentifier
  /// The subscriber's class. For a sequence, the type of its iterator.
  public let subscriberType: Any.Type
  let interface: SubscriberInterface
  let lane: Lane
  /// Nil for an unbounded buffer.
  let bounds: Bounds?
  let gate: DeliveryGate
  /// The version of its first state: this one and every later one is put into its buffer.
  let firstVersion: UInt64
  // The next three are small because there may be many subscriptions, and no memory holds so many states or entries.
  /// The most states that were ever pending. Only ever raised.
  private let mostPending = Atomic<UInt32>(0)
  /// The library holds the subscriber until the main actor has released it. See `isAlive`.
  let isReleaseDue = Atomic<Bool>(false)
  // The index in the lane's list. Accessed inside turns, which order the accesses.
  private let place = Atomic<Int32>(-1)

  init(_ request: borrowing SubscriptionRequest, in lane: Lane, from version: UInt64, waits: Bool) {
    subscriber = request.subscriber
    subscriberID = ObjectIdentifier(request.subscriber)
    subscriberType = request.subscriberType
    interface = request.interface
    bounds = Bounds.of(request.buffering)
    self.lane = lane
    gate = DeliveryGate(next: version, waits: waits, lane.registry.schedulingPoints.makePoint())
    firstVersion = version
  }

  /// The index in the lane's list, -1 once its closure was taken away. Inside a turn.
  var slot: Int {
    get { Int(place.load(ordering: .relaxed)) }
    set { place.store(Int32(newValue), ordering: .relaxed) }
  }

  /// How many states may be pending, and which one gives way.
  public var buffering: BufferingPolicy { bounds?.policy ?? .unbounded }

  /// Where deliveries run.
  public var context: DeliveryContext { lane.context }

  /// The publisher's ``Publisher/id``.
  public var source: PublisherID { lane.registry.source }

  /// Whether states may still be delivered.
  ///
  /// False once the subscription was cancelled, its subscriber has died, or the actor that is its context has died. After
  /// the publisher was released it stays true until everything that was pending has been delivered.
  public var isActive: Bool { gate.isOpen && isAlive }
}

extension Subscription {
  /// Ends the subscription, and says what it found.
  ///
  /// No delivery begins after `cancel()` has returned. Pending states are dropped and counted as skipped. The subscriber's
  /// closure is released before a ``CancelOutcome/quiescent`` cancel returns, otherwise when the delivery under way and its
  /// round have ended (3.05).
  ///
  /// Call it from any thread, from inside any callback, and from any `deinit`; it never waits for a subscriber (3.01). On
  /// the subscription's own serial context, and inside its own callback, the outcome is never ``CancelOutcome/inFlight``
  /// (3.03).
  ///
  /// - Returns: What was under way (3.02).
  /// - Complexity: O(1), amortized.
  @discardableResult
  public func cancel() -> CancelOutcome { lane.registry.cancel(self) }

  /// Ends the subscription, and returns when none of its deliveries is under way, even if it was cancelled before (3.04).
  ///
  /// Ignores the cancellation of the task that calls it. Inside the subscription's own delivery it returns at once.
  public func cancelAndWait() async {
    cancel()
    await lane.registry.waitForDelivery(of: self)
  }
}

extension Subscription {
  /// The next version to be delivered, as far as the gate says.
  func next(at reading: DeliveryGate.Reading) -> UInt64 { reading.isWaiting ? firstVersion : reading.next }

  /// Remembers how many states are pending before one is taken or all are dropped.
  @inline(__always)
  func noteBacklog(from next: UInt64, newest: UInt64) {
    // A bound may let fewer wait than this.
    guard Int(newest + 1 - next) > highWater else { return }
    raiseHighWater(from: next, newest: newest)
  }

  @inline(never)
  private func raiseHighWater(from next: UInt64, newest: UInt64) {
    let pending = min(Int(newest + 1 - next), bounds?.limit ?? .max)
    mostPending.max(UInt32(clamping: pending), ordering: .relaxed)
  }

  @inline(__always) var highWater: Int { Int(mostPending.load(ordering: .relaxed)) }
}

extension Subscription: Hashable {
  /// A subscription equals only itself.
  public static func == (left: Subscription, right: Subscription) -> Bool { left === right }

  /// Hashes the identity.
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

extension Subscription: CustomStringConvertible {
  /// Who listens where to which publisher, for logs: `Screen on main of news, unbounded, 3 delivered, 1 pending`.
  public var description: String {
    let statistics = statistics
    let state = isActive ? "\(statistics.pending) pending" : "ended"
    return "\(subscriberType) on \(context) of \(source), \(buffering), \(statistics.delivered) delivered, \(state)"
  }
}
