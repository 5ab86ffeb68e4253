/// A value such as `any SomeProtocol` whose object is held by somebody else while the value is used: it remembers how the
/// object conforms, and doesn't retain it.
///
/// Casting the object back to the protocol at every delivery would cost several times the delivery.
@safe @usableFromInline
final class UnownedExistential<Existential>: @unchecked Sendable {
  /// Can't be copied, so that a call borrows the value: to retain and release its object would cost as much as the
  /// delivery.
  @usableFromInline
  struct Borrowed: ~Copyable {
    @usableFromInline let value: Existential

    @inlinable @inline(__always)
    borrowing func use(_ body: (Existential) -> Void) { body(value) }
  }

  // Immutable bits. Reading them is safe anywhere; using the value is up to the caller's isolation.
  @usableFromInline let bits: UnsafeMutablePointer<Borrowed>

  /// Copies the bits without retaining. The value holds one class instance, and nothing else that is counted.
  @inlinable
  init(_ value: Existential) {
    unsafe bits = .allocate(capacity: 1)
    unsafe withUnsafeBytes(of: value) { bytes in
      unsafe UnsafeMutableRawBufferPointer(start: bits, count: bytes.count).copyMemory(from: bytes)
    }
  }

  deinit { unsafe bits.deallocate() }

  /// Hands out the value. The caller holds the object.
  @inlinable @inline(__always)
  func use(_ body: (Existential) -> Void) { unsafe bits.pointee.use(body) }
}
