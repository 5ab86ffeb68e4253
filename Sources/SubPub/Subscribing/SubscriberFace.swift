/// Through which protocol an object subscribed; a duplicate is the same object through the same face (rule 2.06).
@usableFromInline
package enum SubscriberFace: Hashable, Sendable {
  /// A closure or method reference, independent of all others.
  case handler
  case untyped
  case untypedOnMainActor
  case typed
  case typedOnMainActor
  /// One of the `ExplicitPublisher`s of the publisher; each counts for itself.
  case explicit(UInt32)
  /// What a `PublisherDirectory` subscribed for an object, independent of what the object subscribes itself.
  case directory
  /// The delegates of one `MulticastDelegate`.
  case delegate
}
