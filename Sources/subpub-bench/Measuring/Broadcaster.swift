/// A way to hand values to many listeners: ours, or a rival's.
protocol Broadcaster: Sendable {
  func publish(_ value: [Int])
  /// Returns when everything that was published has been delivered.
  func settle() async
}

extension Broadcaster {
  /// Publishes one payload after the other, from where `after` others have ended.
  func publish(_ count: Int, of ring: [[Int]] = Payload.ring, after others: Int = 0) {
    for index in others..<others + count { publish(ring[index & (Payload.count - 1)]) }
  }
}
