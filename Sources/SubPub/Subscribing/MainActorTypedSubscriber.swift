/// The same as `TypedSubscriber`, for classes of the main actor; always delivered there, and never released by the
/// library on another thread (rule 2.05).
@MainActor
public protocol MainActorTypedSubscriber<Value>: AnyObject, Sendable {
  /// What the publishers publish.
  associatedtype Value: Sendable

  /// Called for every delivery, on the main actor.
  func receive(_ state: LoadState<Value>)

  /// Called for every delivery. By default passes the state on.
  func receive(_ publication: Publication<Value>)
}

extension MainActorTypedSubscriber {
  /// Passes the state on.
  @inlinable public func receive(_ publication: Publication<Value>) { receive(publication.state) }
}
