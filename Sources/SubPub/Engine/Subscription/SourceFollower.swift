import Synchronization

/// The subscriber of a derived publisher, which is told when the source has finished.
final class SourceFollower: Sendable {
  let sourceHasFinished: @Sendable () -> Void
  private let hasBegun = Atomic<Bool>(false)

  init(_ sourceHasFinished: @escaping @Sendable () -> Void) { self.sourceHasFinished = sourceHasFinished }

  /// Returns true the first time; deliveries follow each other, so relaxed accesses are enough.
  func begin() -> Bool { !hasBegun.exchange(true, ordering: .relaxed) }
}
