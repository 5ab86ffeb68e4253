/// A value such as `any SomeProtocol` whose object is held by somebody else while the value is used: it remembers how the
/// object conforms, and doesn't retain it.
///
/// Casting the object back to the protocol at every delivery would cost several times the delivery.
@safe @usableFromInline
final class UnownedExistential<Existential>: @unchecked Sendable {
  // Immutable bits. Reading them is safe anywhere; using the value is up to the caller's isolation.
  @usableFromInline let bits: UnsafeMutableRawPointer

  /// Copies the bits without retaining. The value holds one class instance, and nothing else that is counted.
  @inlinable
  init(_ value: Existential) {
    let layout = MemoryLayout<Existential>.self
    unsafe bits = .allocate(byteCount: layout.size, alignment: layout.alignment)
    unsafe withUnsafeBytes(of: value) { bytes in
      unsafe UnsafeMutableRawBufferPointer(start: bits, count: layout.size).copyMemory(from: bytes)
    }
  }

  deinit { unsafe bits.deallocate() }

  /// The value, which retains its object while it is used. The caller holds the object.
  @inlinable
  var value: Existential { unsafe bits.load(as: Existential.self) }
}
