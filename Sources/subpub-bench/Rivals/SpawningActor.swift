import SubPub

/// An actor that starts a task for each subscriber; deliveries overlap, and arrive in any order.
actor SpawningActor {
  private let references: [WeakReference<OverlappedListener>]

  init(to listeners: [OverlappedListener]) { references = listeners.map(WeakReference.init) }

  func publish(_ value: [Int]) {
    for reference in references {
      Task { @concurrent in reference.object?.receive(.loaded(value)) }
    }
  }

  /// Publishes as users would, with one `await` after the other.
  nonisolated func publish(_ count: Int, of ring: [[Int]]) async {
    for index in 0..<count { await publish(ring[index & (Payload.count - 1)]) }
  }
}
