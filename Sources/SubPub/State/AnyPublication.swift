/// A publication whose value type is not known, as one type-less subscriber of many publishers receives it.
///
/// Test for the types that you handle: `if let news = publication as? Publication<[News]>`.
/// A handler of all errors needs no type: `phase`, `error`, `source` and `version` are here.
public protocol AnyPublication: AnyObject, Sendable {
  /// How many transitions the publisher had made when this state was accepted (rule 1.01).
  var version: UInt64 { get }
  /// The publisher that this comes from; equals its `id`.
  var source: PublisherID { get }
  /// Which of the four states this is.
  var phase: LoadPhase { get }
  /// The error of a failed load.
  var error: (any Error)? { get }
  /// The loaded value, or the previous one, without its type.
  var anyValue: (any Sendable)? { get }
  /// The publisher's value type.
  var valueType: Any.Type { get }
}
