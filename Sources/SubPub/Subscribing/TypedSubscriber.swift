/// Receives from publishers of one type: a typed contract on both sides.
///
/// Implement one of the two functions: the state alone, or the publication with version and source.
public protocol TypedSubscriber<Value>: AnyObject, Sendable {
  /// What the publishers publish.
  associatedtype Value: Sendable

  /// Called for every delivery, on the context of the subscription; never twice at once for one subscription.
  func receive(_ state: LoadState<Value>)

  /// Called for every delivery. By default passes the state on.
  func receive(_ publication: Publication<Value>)
}

extension TypedSubscriber {
  /// Passes the state on.
  @inlinable public func receive(_ publication: Publication<Value>) { receive(publication.state) }
}
