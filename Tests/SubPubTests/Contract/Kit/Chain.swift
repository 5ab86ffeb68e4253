import SubPub
import SubPubTesting
import Synchronization

/// Publishes the next state from each delivery, up to a last one.
final class Chain: Sendable {
  private let length: Int
  private let publish: @Sendable (Int) -> Void
  private let end = Recorder<Void>()
  let deliveries = Atomic<Int>(0)
  let depth = Depth()

  init(length: Int, publish: @escaping @Sendable (Int) -> Void) {
    self.length = length
    self.publish = publish
  }

  convenience init(_ publisher: Publisher<Int>, length: Int) {
    self.init(length: length) { publisher.updateData($0) }
  }

  func receive() {
    depth.enter()
    defer { depth.leave() }
    let count = deliveries.add(1, ordering: .relaxed).newValue
    if count < length { publish(count) } else { end.receive(.unknown) }
  }

  /// Returns when the last delivery has come; fails after a minute.
  func wait() async throws { try await end.wait(count: 1, within: .seconds(60)) }
}
