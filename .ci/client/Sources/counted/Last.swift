import Synchronization

/// The last subscriber of its queue, which counts all states except the replay.
final class Last: Sendable {
  private let count = Atomic<Int>(-1)
  private let body: @Sendable (Int) -> Void

  init(_ body: @escaping @Sendable (Int) -> Void) { self.body = body }

  func receive() { body(count.add(1, ordering: .relaxed).newValue) }
}
