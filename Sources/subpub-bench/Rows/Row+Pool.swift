import SubPub

extension Row {
  /// Delivery on a pool of threads.
  static let pool: [Row] = [1, 10].map { subscribers in
    let publishes = 100_000 / subscribers
    return Row("pool, \(subscribers)", against: "actor, a task per delivery") {
      try await timePerDelivery(to: subscribers, publishing: publishes, isOrdered: true) { listeners in
        let contestant = PublisherBroadcaster(to: listeners, on: .background)
        await contestant.settle()
        return { contestant.publish(publishes) }
      }
    } rival: {
      // It keeps no order, so it isn't asked for one.
      try await timePerDelivery(to: subscribers, publishing: publishes, isOrdered: false) { listeners in
        let contestant = SpawningActor(to: listeners)
        return { await contestant.publish(publishes, of: Payload.ring) }
      }
    }
  }
}

/// - Parameter prepare: Gets the listeners, and returns what publishes everything.
@concurrent
private func timePerDelivery(
  to subscribers: Int, publishing publishes: Int, isOrdered: Bool,
  prepare: @Sendable ([OverlappedListener]) async -> @Sendable () async -> Void
) async throws -> Double {
  let latch = Latch(subscribers)
  let listeners = (0..<subscribers).map { _ in
    OverlappedListener(isOrdered: isOrdered, expecting: publishes, thenArrivingAt: latch)
  }
  let publish = await prepare(listeners)
  let clock = ContinuousClock()
  let start = clock.now
  await publish()
  await latch.wait()
  let time = clock.now - start
  for listener in listeners { try listener.check(published: publishes) }
  return time.nanoseconds / Double(publishes * subscribers)
}
