/// Through which protocol an object subscribed; a duplicate is the same object through the same face (rule 2.06).
@usableFromInline
package enum SubscriberFace: Hashable, Sendable {
  /// A closure or method reference, independent of all others.
  case handler
  case handlerOnMainActor
  case untyped
  case untypedOnMainActor
  case typed
  case typedOnMainActor
  /// One of the `ExplicitPublisher`s of the publisher; each counts for itself.
  case explicit(UInt32)
  case explicitOnMainActor(UInt32)
  /// What a `PublisherDirectory` subscribed for an object, independent of what the object subscribes itself.
  case directory
  case directoryOnMainActor
  /// The delegates of one `MulticastDelegate`.
  case delegate
  case delegateOnMainActor

  /// Whether its objects belong to the main actor. They needn't be `Sendable`, and must not be released elsewhere.
  var isOnMainActor: Bool {
    switch self {
    case .handlerOnMainActor, .untypedOnMainActor, .typedOnMainActor, .explicitOnMainActor, .directoryOnMainActor,
      .delegateOnMainActor:
      true
    case .handler, .untyped, .typed, .explicit, .directory, .delegate: false
    }
  }
}
