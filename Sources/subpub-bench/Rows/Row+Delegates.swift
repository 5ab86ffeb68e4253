import SubPub

extension Row {
  /// `MulticastDelegate.call` beside a typed subscriber's delivery.
  static let delegates: [Row] = [1, 10, 1_000].map { subscribers in
    Row(
      "MulticastDelegate.call", subscribers: subscribers, deliveries: 500_000,
      against: "a publisher's typed subscriber", bound: 1.5, ours: { DelegateBroadcaster(to: $0) },
      rival: { PublisherBroadcaster(to: $0, on: .immediate) })
  }
}
