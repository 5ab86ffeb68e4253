/// What the engine carries: something that learns its version when it is accepted.
///
/// The engine is not generic; it moves these boxes, and only the faces know what is inside.
@usableFromInline
package protocol Stamped: AnyObject, Sendable {
  /// Called once, inside the turn that accepts it, before anyone else can see it.
  func stamp(_ version: UInt64)
}
