import Dispatch
import SubPub
import Synchronization

extension Row {
  /// Creates a row that publishes to listeners, and measures the time for each delivery.
  init(
    _ name: String, subscribers: Int, deliveries: Int, against rivalName: String, bound: Double? = nil,
    curves: (ours: Curve, rival: Curve)? = nil,
    ours: @escaping @Sendable ([Listener]) -> some Broadcaster,
    rival: @escaping @Sendable ([Listener]) -> some Broadcaster
  ) {
    let publishes = deliveries / subscribers
    self.init("\(name), \(subscribers.grouped)", against: rivalName, bound: bound.map(Bound.ratio)) {
      try await timePerDelivery(to: subscribers, publishing: publishes, through: ours)
    } rival: {
      try await timePerDelivery(to: subscribers, publishing: publishes, through: rival)
    }
    charted = curves.map { ($0.ours, $0.rival, subscribers) }
  }

  /// The numbers of subscribers for which the chart has points.
  static let subscriberCounts = [1, 10, 100, 1_000, 10_000, 100_000]
}

@concurrent
private func timePerDelivery<Contestant: Broadcaster>(
  to subscribers: Int, publishing publishes: Int, through make: @Sendable ([Listener]) -> Contestant
) async throws -> Double {
  let listeners = (0..<subscribers).map { _ in Listener() }
  let contestant = make(listeners)
  // Waits for the replays.
  await contestant.drain()
  let clock = ContinuousClock()
  let start = clock.now
  contestant.publish(publishes)
  await contestant.drain()
  let time = clock.now - start
  for listener in listeners { try listener.check(published: publishes) }
  return time.nanoseconds / Double(publishes * subscribers)
}

extension Row {
  /// Delivery on the publishing thread.
  ///
  /// A publish to one subscriber takes 1,120 instructions. A third of them make and destroy the publication, a sixth
  /// count references, a tenth are the lock and the weak load. The rest decide: the turn, the version, the lanes, the
  /// gate, and the effects. The rival makes nothing, has no version, and calls its listeners under the lock.
  static let publishingThread: [Row] =
    [
      onPublishingThread(1, bound: 3.3, baseline: 53),
      onPublishingThread(10, bound: 1.45, baseline: 40),
      onPublishingThread(100),
      onPublishingThread(1_000, bound: 1.2, baseline: 38),
      onPublishingThread(10_000),
      onPublishingThread(100_000, bound: 1.2, baseline: 38),
    ]
    + [(1, 0.22), (10, 0.30), (100, nil), (1_000, 0.36), (10_000, nil), (100_000, nil)]
    .map(onPublishingThreadAgainstNotifications)

  private static func onPublishingThread(
    _ subscribers: Int, bound: Double? = nil, baseline: Double? = nil
  ) -> Row {
    var row = Row(
      "publishing thread", subscribers: subscribers, deliveries: 1_000_000, against: "locked weak loop",
      bound: bound, curves: (.publishingThread, .lockedLoop), ours: { PublisherBroadcaster(to: $0, on: .immediate) },
      rival: { LockedWeakLoop(to: $0) })
    row.baseline = baseline
    return row
  }

  private static func onPublishingThreadAgainstNotifications(_ subscribers: Int, bound: Double?) -> Row {
    Row(
      "publishing thread", subscribers: subscribers, deliveries: 300_000, against: "NotificationCenter",
      bound: bound, curves: (.publishingThread, .notificationCenter),
      ours: { PublisherBroadcaster(to: $0, on: .immediate) },
      rival: { NotificationBroadcaster(to: $0) })
  }
}

extension Row {
  /// What a publish costs that nobody receives.
  ///
  /// The rival makes an object of the same size and swaps it in under a lock. The rest is the turn of an actor's
  /// executor (which thread has it), the state's enum (which payload is to be retained), and the version.
  static let toNobody: [Row] = [
    Row("publish to nobody", against: "an object of that size, lock, unlock", bound: .ratio(2.1)) {
      let publisher = Publisher<[Int]>()
      return nanoseconds { publisher.updateData($0) }
    } rival: {
      let latest = Mutex(Stored(Payload.ring[0]))
      return nanoseconds { value in
        let new = Stored(value)
        let former = latest.withLock { latest in
          defer { latest = new }
          return latest
        }
        withExtendedLifetime(former) {}
      }
    }
  ]

  private static func nanoseconds(for publish: ([Int]) -> Void) -> Double {
    let (count, clock) = (1_000_000, ContinuousClock())
    let time = clock.measure { for index in 0..<count { publish(Payload.ring[index & (Payload.count - 1)]) } }
    return time.nanoseconds / Double(count)
  }

  /// As large as a publication.
  private final class Stored: Sendable {
    let value: [Int]
    let others = (0, 0, 0, 0, 0)

    init(_ value: [Int]) { self.value = value }
  }
}

extension Row {
  /// Delivery on one serial queue, until the last state has been delivered.
  ///
  /// The rival keeps no order among publishing threads, no bound, and no state for later subscribers, and delivers in a
  /// loop without a gate. On two cores, the ratio for one subscriber depends on how the threads meet: 0.6 to 1.5.
  static let serialQueue: [Row] =
    [(1, 1.5), (10, 1.1), (1_000, 1.3)].map { subscribers, bound in
      Row(
        "serial queue", subscribers: subscribers, deliveries: 400_000, against: "one async per publish", bound: bound,
        ours: { PublisherBroadcaster(to: $0, on: .queue(DispatchQueue(label: "ours"))) },
        rival: { AsyncPerPublish(to: $0, on: DispatchQueue(label: "rival")) })
    }
    // Without a bound, because the rival's cost depends on the state of the machine: 290 or 1,130 ns.
    + subscriberCounts.map { subscribers in
      Row(
        "serial queue", subscribers: subscribers, deliveries: 200_000, against: "one async per delivery",
        curves: (.serialQueue, .asyncPerDelivery),
        ours: { PublisherBroadcaster(to: $0, on: .queue(DispatchQueue(label: "ours"))) },
        rival: { AsyncPerDelivery(to: $0, on: DispatchQueue(label: "rival")) })
    }
}

extension Row {
  /// Delivery on the main actor, published from a thread of the pool.
  static let mainActor: [Row] = [1, 10, 1_000].map { subscribers in
    Row(
      "main actor", subscribers: subscribers, deliveries: 400_000, against: "one main.async per publish",
      ours: { PublisherBroadcaster(to: $0, on: .main) }, rival: { AsyncPerPublish(to: $0, on: .main) })
  }
}

extension Row {
  /// `MulticastDelegate.call`, compared with the delivery to a typed subscriber.
  static let delegates: [Row] = [1, 10, 1_000].map { subscribers in
    Row(
      "MulticastDelegate.call", subscribers: subscribers, deliveries: 500_000,
      against: "a publisher's typed subscriber", bound: 1.5, ours: { DelegateBroadcaster(to: $0) },
      rival: { PublisherBroadcaster(to: $0, on: .immediate) })
  }
}
