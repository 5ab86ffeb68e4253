import SubPub

extension Row {
  /// Delivery on the publishing thread.
  static let publishingThread: [Row] =
    [
      onPublishingThread(1, bound: 2.8, aim: 2.2, floor: 53),
      onPublishingThread(10, bound: 1.45, floor: 40),
      onPublishingThread(1_000, bound: 1.2, floor: 38),
      onPublishingThread(100_000, bound: 1.2, floor: 38),
    ] + [(1, 0.22), (10, 0.30), (1_000, 0.36)].map(onPublishingThreadAgainstNotifications)

  private static func onPublishingThread(
    _ subscribers: Int, bound: Double, aim: Double? = nil, floor: Double
  ) -> Row {
    var row = Row(
      "publishing thread", subscribers: subscribers, deliveries: 1_000_000, against: "locked weak loop",
      bound: bound, ours: { PublisherBroadcaster(to: $0, on: .immediate) }, rival: { LockedWeakLoop(to: $0) })
    row.aim = aim
    row.floor = floor
    return row
  }

  private static func onPublishingThreadAgainstNotifications(_ subscribers: Int, bound: Double) -> Row {
    Row(
      "publishing thread", subscribers: subscribers, deliveries: 300_000, against: "NotificationCenter",
      bound: bound, ours: { PublisherBroadcaster(to: $0, on: .immediate) },
      rival: { NotificationBroadcaster(to: $0) })
  }
}
