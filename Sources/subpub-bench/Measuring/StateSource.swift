import SubPub

/// Something that gives states to any number of async sequences: ours, or a rival's. Its end ends the sequences.
protocol StateSource: AnyObject, Sendable {
  associatedtype States: AsyncSequence<LoadState<[Int]>, Never> & Sendable

  init()
  /// One more consumer's sequence.
  func states() -> States
  func publish(_ value: [Int])
}

extension StateSource {
  /// Publishes one payload after the other.
  func publish(_ count: Int, of ring: [[Int]] = Payload.ring) {
    for index in 0..<count { publish(ring[index & (Payload.count - 1)]) }
  }
}
