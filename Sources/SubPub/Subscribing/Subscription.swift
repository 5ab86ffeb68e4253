import Synchronization

/// One subscriber at one publisher, on one context, with one buffering policy.
///
/// Keeping it is optional: the subscription lasts as long as the subscriber does (rule 3.06), and releasing this value
/// changes nothing. It keeps neither the subscriber nor the publisher alive.
public final class Subscription: Sendable {
  /// Held weakly (rule 2.05).
  package weak let subscriber: (any AnyObject & Sendable)?
  /// Where the subscriber lives, or lived: a key, never looked behind.
  let subscriberID: ObjectIdentifier
  /// The subscriber's class; for a sequence, its iterator.
  public let subscriberType: Any.Type
  let host: any SubscriptionHost
  package let bounds: Bounds?
  package let gate: DeliveryGate
  /// The ordinal of the last state before its own: everything after it has been put into the buffer.
  package let joinedAfter: UInt64
  let face: SubscriberFace
  // Few bytes, since there may be many subscriptions; no memory holds so many states, or entries.
  // The most ever pending; only ever raised.
  private let mostPending = Atomic<UInt32>(0)
  /// The library holds the subscriber until the main actor has let go of it: see `isSubscriberAlive`.
  let isReleaseDue = Atomic<Bool>(false)
  // Where the lane's list has it. Written and read inside turns, which order the accesses.
  private let place = Atomic<Int32>(-1)

  init(_ enrolment: borrowing Enrolment, at host: any SubscriptionHost, after ordinal: UInt64, waits: Bool = false) {
    subscriber = enrolment.subscriber
    subscriberID = ObjectIdentifier(enrolment.subscriber)
    subscriberType = enrolment.subscriberType
    face = enrolment.face
    bounds = Bounds.of(enrolment.buffering, after: ordinal)
    self.host = host
    gate = DeliveryGate(after: ordinal, waits: waits)
    joinedAfter = ordinal
  }

  /// Inside a turn.
  package var slot: Int {
    get { Int(place.load(ordering: .relaxed)) }
    set { place.store(Int32(newValue), ordering: .relaxed) }
  }

  /// How many states may wait, and which gives way.
  public var buffering: BufferingPolicy { bounds?.policy ?? .unbounded }
  /// Where deliveries run.
  public var delivery: Delivery { host.delivery }
  /// The publisher's id; the directory's, where this stands for all of its publishers.
  public var source: PublisherID { host.source }

  /// Whether states may still be delivered: not cancelled, and neither the subscriber nor an actor that is its context
  /// nor the publisher has gone. A publisher that was released counts until what was pending has been delivered.
  public var isActive: Bool { gate.closedAt == nil && isAlive }

  /// The ordinal of the last state that the gate has let pass, or that came before its own.
  package func position(at reading: DeliveryGate.Reading) -> UInt64 {
    reading.isWaiting ? joinedAfter : reading.ordinal
  }

  /// Notes what waits before a state is taken, or everything is dropped.
  @inline(__always)
  package func noteBacklog(after position: UInt64, newest: UInt64) {
    // Never fewer than what a bound lets wait.
    guard Int(newest - position) > highWater else { return }
    raiseHighWater(after: position, newest: newest)
  }

  @inline(never)
  private func raiseHighWater(after position: UInt64, newest: UInt64) {
    let count = bounds?.pending(after: position, newest: newest) ?? Int(newest - position)
    mostPending.max(UInt32(clamping: count), ordering: .relaxed)
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
  /// Who listens to whom, where, and how far it is: `Screen on main of news, unbounded, 3 delivered, 1 pending`.
  public var description: String {
    let statistics = statistics
    let state = isActive ? "\(statistics.pending) pending" : "ended"
    return "\(subscriberType) on \(delivery) of \(source), \(buffering), \(statistics.delivered) delivered, \(state)"
  }
}
