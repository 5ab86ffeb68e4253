extension Row {
  /// One that publishes to listeners, and measures the time for each delivery.
  init(
    _ name: String, subscribers: Int, deliveries: Int, against rivalName: String, bound: Double? = nil,
    ours: @escaping @Sendable ([Listener]) -> some Broadcaster,
    rival: @escaping @Sendable ([Listener]) -> some Broadcaster
  ) {
    let publishes = deliveries / subscribers
    self.init("\(name), \(subscribers.grouped)", against: rivalName, bound: bound.map(Bound.ratio)) {
      try await timePerDelivery(to: subscribers, publishing: publishes, through: ours)
    } rival: {
      try await timePerDelivery(to: subscribers, publishing: publishes, through: rival)
    }
  }
}

@concurrent
private func timePerDelivery<Contestant: Broadcaster>(
  to subscribers: Int, publishing publishes: Int, through make: @Sendable ([Listener]) -> Contestant
) async throws -> Double {
  let listeners = (0..<subscribers).map { _ in Listener() }
  let contestant = make(listeners)
  // Of the replays.
  await contestant.settle()
  let clock = ContinuousClock()
  let start = clock.now
  contestant.publish(publishes)
  await contestant.settle()
  let time = clock.now - start
  for listener in listeners { try listener.check(published: publishes) }
  return time.nanoseconds / Double(publishes * subscribers)
}
