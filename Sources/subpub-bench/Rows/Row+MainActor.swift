import Dispatch
import SubPub

extension Row {
  /// Delivery on the main actor, published from a thread of the pool.
  static let mainActor: [Row] = [1, 10, 1_000].map { subscribers in
    Row(
      "main actor", subscribers: subscribers, deliveries: 400_000, against: "one main.async per publish",
      ours: { PublisherBroadcaster(to: $0, on: .main) }, rival: { AsyncPerPublish(to: $0, on: .main) })
  }
}
