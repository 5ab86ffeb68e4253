import Dispatch
import SubPub

extension Row {
  /// Delivery on one serial queue, until the last one has been delivered.
  static let serialQueue: [Row] =
    [(1, 0.5), (10, 1.1), (1_000, 1.2)].map { subscribers, bound in
      Row(
        "serial queue", subscribers: subscribers, deliveries: 400_000, against: "one async per publish", bound: bound,
        ours: { PublisherBroadcaster(to: $0, on: .queue(DispatchQueue(label: "ours"))) },
        rival: { AsyncPerPublish(to: $0, on: DispatchQueue(label: "rival")) })
    }
    + [(1, 0.25), (10, 0.10), (1_000, 0.10)].map { subscribers, bound in
      Row(
        "serial queue", subscribers: subscribers, deliveries: 200_000, against: "one async per delivery",
        bound: bound, ours: { PublisherBroadcaster(to: $0, on: .queue(DispatchQueue(label: "ours"))) },
        rival: { AsyncPerDelivery(to: $0, on: DispatchQueue(label: "rival")) })
    }
}
