/// One call to many delegates, as the engine carries it.
@_fixed_layout @usableFromInline
final class DelegateCall<Delegate>: Stamped {
  @usableFromInline let body: @Sendable (Delegate) -> Void

  @inlinable
  init(_ body: @escaping @Sendable (Delegate) -> Void) { self.body = body }

  /// Nobody asks a call for its version.
  @inlinable
  package func stamp(_ version: UInt64) {}

  @inlinable @inline(__always)
  static func from(_ state: any Stamped) -> DelegateCall {
    unsafe unsafeDowncast(state, to: DelegateCall.self)
  }
}
