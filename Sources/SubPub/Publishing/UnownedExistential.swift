/// A value such as `any SomeProtocol` whose object is held by somebody else while the value is used: it remembers how the
/// object conforms, and doesn't retain it.
///
/// Casting the object back to the protocol at every delivery would cost several times the delivery.
@_fixed_layout @safe @usableFromInline
final class UnownedExistential<Existential>: @unchecked Sendable {
  /// Can't be copied, so that a call borrows the value: to retain and release its object would cost as much as the
  /// delivery.
  @frozen @usableFromInline
  struct Borrowed: ~Copyable {
    @usableFromInline let value: Existential

    @inlinable
    init(_ value: Existential) { self.value = value }

    @inlinable @inline(__always)
    borrowing func use<R>(_ body: (Existential) -> R) -> R { body(value) }
  }

  // Never written again. Reading it is safe anywhere; using the value is up to the caller's isolation.
  @usableFromInline let bits: UnsafeMutablePointer<Borrowed>

  /// Puts the value there, and lets go of what that retained: one class instance, and nothing else that is counted.
  @inlinable
  init(_ value: Existential) {
    unsafe bits = .allocate(capacity: 1)
    unsafe bits.initialize(to: Borrowed(value))
    unsafe Unmanaged.passUnretained(value as AnyObject).release()
  }

  /// What was let go of before isn't let go of again.
  deinit { unsafe bits.deallocate() }

  /// Hands out the value. The caller holds the object.
  @inlinable @inline(__always)
  func use<R>(_ body: (Existential) -> R) -> R { unsafe bits.pointee.use(body) }
}
