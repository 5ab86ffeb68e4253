import SubPub
import SubPubTesting
import Synchronization

/// Counts how many calls are nested, and the most that ever were.
final class NestingDepth: Sendable {
  private let now = Atomic<Int>(0)
  private let most = Atomic<Int>(0)

  func enter() { most.max(now.add(1, ordering: .relaxed).newValue, ordering: .relaxed) }
  func leave() { now.subtract(1, ordering: .relaxed) }
  var deepest: Int { most.load(ordering: .relaxed) }
}

/// Publishes the next state from each delivery, up to the last.
final class PublishChain: Sendable {
  private let length: Int
  private let publish: @Sendable (Int) -> Void
  private let end = Event()
  let deliveries = Atomic<Int>(0)
  let depth = NestingDepth()

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
    if count < length { publish(count) } else { end.happen() }
  }

  /// Returns when the last delivery has run.
  func wait() async throws { try await end.wait() }
}
