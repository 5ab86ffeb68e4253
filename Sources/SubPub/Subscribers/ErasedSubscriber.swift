/// Returns the class instance behind a value such as `any SomeProtocol`.
///
/// The cast `as? AnyObject` never fails on Linux: it puts a struct into a box that dies immediately. So this function
/// checks the type instead.
@usableFromInline
func classInstance<T>(of value: T, as role: StaticString) -> any AnyObject & Sendable {
  let type = type(of: value as Any)
  guard type is AnyObject.Type else {
    stopForMisuse("\(type) can't be a \(role), as only class instances can be held weakly: use a class")
  }
  let object = value as AnyObject
  guard Swift.type(of: object) == type else {
    stopForMisuse(
      "\(type) can't be a \(role) through \(T.self), as the object would be put into a box: use a protocol of your own")
  }
  // `Sendable` has no requirements and no witness table, so the bits are the same. If `T` isn't `Sendable`, its
  // instances are only used on the main actor.
  return unsafe unsafeBitCast(object, to: (any AnyObject & Sendable).self)
}

/// A value such as `any SomeProtocol`, stored without retaining its object.
///
/// It keeps the object's conformance. Casting the object back to the protocol for every delivery would cost several
/// times as much as the delivery. Someone else has to hold the object while the value is used.
@_fixed_layout @safe @usableFromInline
final class UnownedExistential<Existential>: @unchecked Sendable {
  /// The stored value, which a call borrows.
  ///
  /// Not copyable, because retaining and releasing its object would cost as much as the delivery.
  @frozen @usableFromInline
  struct Borrowed: ~Copyable {
    @usableFromInline let value: Existential

    @inlinable
    init(_ value: Existential) { self.value = value }

    @inlinable @inline(__always)
    borrowing func use<R>(_ body: (Existential) -> R) -> R { body(value) }
  }

  // Written once. Any thread may read it; the value is used on the isolation of its user.
  @usableFromInline let bits: UnsafeMutablePointer<Borrowed>

  /// Stores the value and undoes the retain of its class instance, the only reference counted part.
  @inlinable
  init(_ value: Existential) {
    unsafe bits = .allocate(capacity: 1)
    unsafe bits.initialize(to: Borrowed(value))
    unsafe Unmanaged.passUnretained(value as AnyObject).release()
  }

  /// Frees the memory without releasing the object a second time.
  deinit { unsafe bits.deallocate() }

  /// Passes the value to `body`, while the caller holds the object.
  @inlinable @inline(__always)
  func use<R>(_ body: (Existential) -> R) -> R { unsafe bits.pointee.use(body) }
}
