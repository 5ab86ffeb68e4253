import Dispatch
import SubPub

extension Row {
  /// Buffers that skip states: under a flood, and with one publish every ten microseconds.
  ///
  /// The times are for each publish.
  static let skipping: [Row] =
    latestUnderFlood + publishingUnderFlood + newestUnderFlood + paced + mixedLane + memory

  /// Until the last state has been delivered.
  ///
  /// The rival replaces a value under a lock. A publish makes an object, stamps its version, and keeps it for later
  /// subscribers, which costs as much as a publish to nobody, whatever the number of subscribers: so against many of
  /// them, where the rival's cost is shared as well, the ratio grows to 5.
  private static let latestUnderFlood: [Row] = [
    underFlood(.latest, .queue, 1, bound: 3), underFlood(.latest, .queue, 10, bound: 3),
    underFlood(.latest, .queue, 1_000), underFlood(.latest, .mainActor, 1, bound: 3),
    underFlood(.latest, .mainActor, 10), underFlood(.latest, .mainActor, 1_000),
  ]

  private static func underFlood(
    _ policy: BufferingPolicy, _ place: Place, _ subscribers: Int, bound: Double? = nil
  ) -> Row {
    Row(
      "latest on \(place), \(subscribers.grouped)", against: "DispatchSource, data replaced",
      bound: bound.map(Bound.ratio)
    ) {
      try await Flood(to: subscribers).run(publisher(policy, on: place)).total
    } rival: {
      try await Flood(to: subscribers).run(replacingSource(on: place)).total
    }
  }

  /// The publishing thread's share.
  private static let publishingUnderFlood: [Row] = [1, 10].map { subscribers in
    Row("latest on a queue, \(subscribers), to publish", against: "unbounded", bound: .ratio(0.9)) {
      try await Flood(to: subscribers).run(publisher(.latest, on: .queue)).publishing
    } rival: {
      try await Flood(to: subscribers).run(publisher(.unbounded, on: .queue)).publishing
    }
  }

  private static let newestUnderFlood: [Row] = Place.allCases.flatMap { place in
    [1, 10, 1_000].map { subscribers in
      Row("newest(16) on \(place), \(subscribers.grouped)", against: "latest") {
        try await Flood(to: subscribers).run(publisher(.newest(16), on: place)).total
      } rival: {
        try await Flood(to: subscribers).run(publisher(.latest, on: place)).total
      }
    }
  }

  /// The publishing thread's share if it publishes every ten microseconds.
  private static let paced: [Row] = Place.allCases.flatMap { place in
    [1, 10, 1_000].flatMap { subscribers in
      [("latest", BufferingPolicy.latest), ("newest(16)", .newest(16))].map { name, policy in
        Row("\(name) on \(place), \(subscribers.grouped), paced", against: "DispatchSource, data replaced") {
          try await Flood(to: subscribers, isPaced: true).run(publisher(policy, on: place)).publishing
        } rival: {
          try await Flood(to: subscribers, isPaced: true).run(replacingSource(on: place)).publishing
        }
      }
    }
  }

  /// One subscription that skips states, in a lane with one that doesn't.
  private static let mixedLane: [Row] = [
    Row("latest and unbounded on a queue", against: "two unbounded") {
      try await Flood(to: 2).run(publisher(.unbounded, .latest, on: .queue)).total
    } rival: {
      try await Flood(to: 2).run(publisher(.unbounded, on: .queue)).total
    }
  ]

  /// The heap memory for 10,000 states that were published to a suspended queue.
  private static let memory: [Row] = [
    ("latest", BufferingPolicy.latest), ("newest(16)", .newest(16)), ("unbounded", .unbounded),
  ].map { name, policy in
    Row("pending states, \(name)", in: .bytes, isMeasurable: HeapUse.isMeasured) {
      try await Double(bytesOfPendingStates(policy))
    }
  }
}

/// Where the subscribers are called.
private enum Place: String, CaseIterable, CustomStringConvertible {
  case queue = "a queue"
  case mainActor = "the main actor"

  var description: String { rawValue }
  var queue: DispatchQueue { self == .queue ? DispatchQueue(label: "flooded") : .main }
  var context: DeliveryContext { self == .queue ? .queue(queue) : .main }
}

/// Many states for a few subscribers, which may miss all but the last.
private struct Flood: Sendable {
  let listeners: [SkippingListener]
  let latch: Latch
  let publishes: Int
  let isPaced: Bool

  init(to subscribers: Int, isPaced: Bool = false) {
    publishes = isPaced ? 2_000 : 200_000
    self.isPaced = isPaced
    let latch = Latch(subscribers)
    listeners = (0..<subscribers).map { [publishes] _ in SkippingListener(last: publishes, latch: latch) }
    self.latch = latch
  }

  /// Publishes all states, and returns the times for each: until the last delivery, and in calls that publish.
  @concurrent
  func run(_ make: @Sendable (Flood) async throws -> Contestant) async throws -> (total: Double, publishing: Double) {
    let contestant = try await make(self)
    let clock = ContinuousClock()
    let start = clock.now
    var publishing = Duration.zero
    if isPaced {
      for counter in 1...publishes {
        let due = start + .microseconds(10) * counter
        while clock.now < due {}
        publishing += clock.measure { contestant.publish(counter) }
      }
    } else {
      for counter in 1...publishes { contestant.publish(counter) }
      publishing = clock.now - start
    }
    await latch.wait()
    let total = clock.now - start
    for listener in listeners { try listener.check(published: publishes) }
    try await contestant.check()
    return (total.nanoseconds / Double(publishes), publishing.nanoseconds / Double(publishes))
  }
}

/// Publishes to the listeners of a flood, and checks afterwards that no state is unaccounted for.
private struct Contestant {
  let publish: (Int) -> Void
  var check: () async throws -> Void = {}
}

/// Returns a publisher whose subscriptions have these policies in turn.
private func publisher(
  _ policies: BufferingPolicy..., on place: Place
) -> @Sendable (Flood) async throws -> Contestant {
  { flood in
    let publisher = Publisher<[Int]>()
    let context = place.context
    let subscriptions = flood.listeners.indices.map { index in
      publisher.subscribe(flood.listeners[index], on: context, buffering: policies[index % policies.count])
    }
    await publisher.drain()
    return Contestant {
      publisher.updateData([$0])
    } check: {
      await publisher.drain()
      for subscription in subscriptions {
        // The replay was delivered or skipped as well.
        let statistics = subscription.statistics
        let count = statistics.delivered + statistics.skipped
        guard count == flood.publishes + 1 else {
          throw DeliveryError(published: flood.publishes + 1, delivered: count)
        }
      }
    }
  }
}

private func replacingSource(on place: Place) -> @Sendable (Flood) async throws -> Contestant {
  { flood in
    let source = ReplacingSource(to: flood.listeners, on: place.queue)
    return Contestant { source.publish($0) }
  }
}

/// Returns the growth of the heap while a suspended queue holds what a policy keeps of 10,000 states.
@concurrent
private func bytesOfPendingStates(_ policy: BufferingPolicy) async throws -> Int {
  let publisher = Publisher<[Int]>()
  let queue = DispatchQueue(label: "suspended")
  let flood = Flood(to: 1)
  let subscription = publisher.subscribe(flood.listeners[0], on: .queue(queue), buffering: policy)
  await publisher.drain()
  queue.suspend()
  publisher.updateData([0])
  let growth = await HeapUse.growth {
    for counter in 1...10_000 { publisher.updateData([counter]) }
  }
  queue.resume()
  await publisher.drain()
  let statistics = subscription.statistics
  guard statistics.delivered + statistics.skipped == 10_002 else {
    throw DeliveryError(published: 10_002, delivered: statistics.delivered + statistics.skipped)
  }
  return growth
}
