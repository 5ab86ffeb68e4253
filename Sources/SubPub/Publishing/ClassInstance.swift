/// The object behind a value such as `any SomeProtocol`, whose type doesn't say that it is one.
///
/// `as? AnyObject` never says no on Linux: it would put a struct into a box that dies at once. So the type is asked.
@usableFromInline
func classInstance<T>(of value: T, as role: StaticString) -> any AnyObject & Sendable {
  let type = type(of: value as Any)
  guard type is AnyObject.Type else {
    stopForMisuse(
      "\(type) can't be a \(role): it is no class, and only class instances can be held weakly. Use a class")
  }
  let object = value as AnyObject
  guard Swift.type(of: object) == type else {
    stopForMisuse(
      "\(type) can't be a \(role) through \(T.self): the object would be put into a box. Use a protocol of yours")
  }
  // Sendable has no requirements and no witness: the bits are the same. Where `T` isn't Sendable its instances are used
  // on the main actor only.
  return unsafe unsafeBitCast(object, to: (any AnyObject & Sendable).self)
}
