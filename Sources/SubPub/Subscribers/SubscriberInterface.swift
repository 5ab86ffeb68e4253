import Synchronization

/// How an object has subscribed.
///
/// A duplicate is the same object through the same interface (2.06).
@usableFromInline
package struct SubscriberInterface: Sendable {
  @usableFromInline
  package enum Kind: Hashable, Sendable {
    /// A closure that receives the object.
    case closure
    case untyped
    case untypedOnMainActor
    case typed
    case typedOnMainActor
    /// An `ExplicitPublisher`, each of which detects duplicates separately.
    case explicit(UInt32)
    /// A subscription by a `PublisherDirectory`, independent of those that the object makes itself.
    case directory
    case directoryOnMainActor
    /// A delegate of a `MulticastDelegate`.
    case delegate
    /// A publisher that is derived from this one.
    case derivation
  }

  private static let lastExplicit = Atomic<UInt32>(0)

  /// Returns the interface of a new `ExplicitPublisher`.
  static func makeExplicit(isOnMainActor: Bool) -> SubscriberInterface {
    // Only uniqueness matters, so the order among threads doesn't.
    SubscriberInterface(
      .explicit(lastExplicit.wrappingAdd(1, ordering: .relaxed).newValue), isOnMainActor: isOnMainActor)
  }

  let kind: Kind
  /// Whether it is a part of a `DirectorySubscription`.
  var isPart: Bool { kind == .directory || kind == .directoryOnMainActor }
  /// Whether it is that of a publisher that is derived from this one.
  var isDerivation: Bool { if case .derivation = kind { true } else { false } }
  /// Whether the objects belong to the main actor.
  ///
  /// They needn't be `Sendable`, and must not be released on another thread.
  let isOnMainActor: Bool

  @usableFromInline
  package init(_ kind: Kind, isOnMainActor: Bool = false) {
    self.kind = kind
    self.isOnMainActor = isOnMainActor
  }
}
