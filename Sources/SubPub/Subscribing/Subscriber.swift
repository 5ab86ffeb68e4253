/// Receives from any number of publishers through one function without a type (rule 2.06 counts it as one face).
///
/// Test for the types that you handle with `as? Publication<…>`, and switch over the state exhaustively.
public protocol Subscriber: AnyObject, Sendable {
  /// Called for every delivery, on the context of the subscription; never twice at once for one subscription.
  func receive(_ publication: any AnyPublication)
}
