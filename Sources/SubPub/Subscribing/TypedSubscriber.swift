/// Receives from publishers of one type: a typed contract on both sides.
///
/// `receive(_ state:)` is enough. Implement the other as well to see version and source: then it is the one that is called.
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
