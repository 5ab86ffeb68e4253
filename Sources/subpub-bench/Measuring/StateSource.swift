import SubPub

/// A source of states for any number of async sequences, from SubPub or a rival.
///
/// When it is released, the sequences end.
protocol StateSource: AnyObject, Sendable {
  associatedtype States: AsyncSequence<LoadState<[Int]>, Never> & Sendable

  init()
  /// Returns a sequence for one more consumer.
  func states() -> States
  func publish(_ value: [Int])
}

extension StateSource {
  /// Publishes a number of payloads.
  func publish(_ count: Int, of ring: [[Int]] = Payload.ring) {
    for index in 0..<count { publish(ring[index & (Payload.count - 1)]) }
  }
}

/// A source that uses the sequences of a publisher.
final class PublisherSource: StateSource {
  private let publisher = Publisher<[Int]>()

  func states() -> StateSequence<[Int]> { publisher.states() }
  func publish(_ value: [Int]) { publisher.updateData(value) }
}
