import Dispatch
import SubPub

extension Row {
  /// Publishing to subscribers of a mapped publisher, compared with subscribers of its source.
  ///
  /// For each publish, `map` makes one more publication and one more delivery, which count less the more subscribers
  /// there are.
  static let derived: [Row] =
    [(1, nil), (10, 1.5), (100, 1.1), (1_000, 1.1)].map { subscribers, bound in
      mapped("mapped publisher", subscribers: subscribers, bound: bound)
    }
    + [1, 10, 1_000].map { subscribers in mapped("chain of 10 maps", length: 10, subscribers: subscribers) }
    + [onSerialQueue]

  private static func mapped(_ name: String, length: Int = 1, subscribers: Int, bound: Double? = nil) -> Row {
    Row(
      name, subscribers: subscribers, deliveries: 1_000_000, against: "its source's own subscribers", bound: bound,
      ours: { MappedBroadcaster(to: $0, on: .immediate, length: length) },
      rival: { PublisherBroadcaster(to: $0, on: .immediate) })
  }

  private static let onSerialQueue = Row(
    "mapped publisher, serial queue", subscribers: 10, deliveries: 400_000, against: "its source's own subscribers",
    ours: { MappedBroadcaster(to: $0, on: .queue(DispatchQueue(label: "ours"))) },
    rival: { PublisherBroadcaster(to: $0, on: .queue(DispatchQueue(label: "rival"))) })
}
