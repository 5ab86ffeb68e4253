/// The object behind a value such as `any SomeProtocol`, whose type doesn't say that it is one.
///
/// `as? AnyObject` never fails on Linux: it would put a struct into a box that dies at once. So this tests the type.
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
  // `Sendable` has no requirements and no witness, so the bits are the same. If `T` isn't `Sendable`, its instances are used
  // on the main actor only.
  return unsafe unsafeBitCast(object, to: (any AnyObject & Sendable).self)
}

/// A value such as `any SomeProtocol` whose object is held by somebody else while the value is used. It remembers how the
/// object conforms, and doesn't retain it.
///
/// Casting the object back to the protocol for every delivery would cost several times the delivery.
@_fixed_layout @safe @usableFromInline
final class UnownedExistential<Existential>: @unchecked Sendable {
  /// Not copyable, so that a call borrows the value: retaining and releasing its object would cost as much as the delivery.
  @frozen @usableFromInline
  struct Borrowed: ~Copyable {
    @usableFromInline let value: Existential

    @inlinable
    init(_ value: Existential) { self.value = value }

    @inlinable @inline(__always)
    borrowing func use<R>(_ body: (Existential) -> R) -> R { body(value) }
  }

  // Never written again. Reading it is safe anywhere, and the value is used on the isolation of its user.
  @usableFromInline let bits: UnsafeMutablePointer<Borrowed>

  /// Stores the value, and releases what that has retained: one class instance, and nothing else that is counted.
  @inlinable
  init(_ value: Existential) {
    unsafe bits = .allocate(capacity: 1)
    unsafe bits.initialize(to: Borrowed(value))
    unsafe Unmanaged.passUnretained(value as AnyObject).release()
  }

  /// Doesn't release the object again.
  deinit { unsafe bits.deallocate() }

  /// Passes the value to `body`. The caller holds the object.
  @inlinable @inline(__always)
  func use<R>(_ body: (Existential) -> R) -> R { unsafe bits.pointee.use(body) }
}
