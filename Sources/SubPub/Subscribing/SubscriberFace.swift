import Synchronization

/// Through which protocol an object subscribed; a duplicate is the same object through the same face (rule 2.06).
@usableFromInline
package enum SubscriberFace: Hashable, Sendable {
  /// A closure or method reference, independent of all others.
  case handler
  case untyped
  case untypedOnMainActor
  case typed
  case typedOnMainActor
  /// One `ExplicitPublisher`; each counts for itself.
  case explicit(UInt32)
  /// The delegates of one `MulticastDelegate`.
  case delegate

  private static let lastExplicit = Atomic<UInt32>(0)

  /// A face that no other `ExplicitPublisher` has.
  static func newExplicit() -> SubscriberFace {
    let (old, new) = lastExplicit.add(1, ordering: .relaxed)
    guard new > old else { stopForMisuse("There have been \(old) ExplicitPublishers, and no more can be told apart") }
    return .explicit(new)
  }
}
