import SubPub

extension Row {
  /// Publishing to subscribers of a mapped publisher, compared with subscribers of its source.
  ///
  /// With `map`, each publish makes one more publication and one more delivery.
  static let derived: [Row] =
    [(1, nil), (10, 1.1), (1_000, 1.1)].map { subscribers, bound in
      mapped("mapped publisher", length: 1, subscribers: subscribers, bound: bound)
    }
    + [1, 10, 1_000].map { subscribers in mapped("chain of 10 maps", length: 10, subscribers: subscribers) }

  private static func mapped(_ name: String, length: Int, subscribers: Int, bound: Double? = nil) -> Row {
    Row(
      name, subscribers: subscribers, deliveries: 1_000_000, against: "its source's own subscribers", bound: bound,
      ours: { MappedBroadcaster(to: $0, length: length) }, rival: { PublisherBroadcaster(to: $0, on: .immediate) })
  }
}
