import SubPub

/// The sequences of a publisher.
final class PublisherSource: StateSource {
  private let publisher = Publisher<[Int]>()

  func states() -> StateSequence<[Int]> { publisher.states() }
  func publish(_ value: [Int]) { publisher.updateData(value) }
}
