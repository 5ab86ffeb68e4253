public import Synchronization

/// One accepted transition of a publisher: a state with its version. Immutable, and shared by all who receive it.
@_fixed_layout public final class Publication<Value: Sendable>: AnyPublication {
  /// The state that was published.
  public let state: LoadState<Value>
  /// The publisher that this comes from; equals its `id`.
  public let source: PublisherID
  /// When the data, also when it is the previous one, was accepted, on the publisher's clock and less its age; nil where nothing can become stale.
  @usableFromInline let freshSince: Duration?
  /// Written once, in the turn that accepts the publication. That turn's end and whatever hands the publication
  /// on order the write before every read, so relaxed accesses are enough.
  @usableFromInline let stamped = Atomic<UInt64>(0)

  @inlinable
  init(_ state: LoadState<Value>, source: PublisherID, freshSince: Duration?) {
    self.state = state
    self.source = source
    self.freshSince = freshSince
  }

  /// How many transitions the publisher had made when this state was accepted (rule 1.01).
  @inlinable public var version: UInt64 { stamped.load(ordering: .relaxed) }
  /// Which of the four states this is.
  @inlinable public var phase: LoadPhase { state.phase }
  /// The error of a failed load.
  @inlinable public var error: (any Error)? { state.error }
  /// The loaded value, or the previous one, without its type.
  @inlinable public var anyValue: (any Sendable)? { state.value }
  /// The publisher's value type.
  @inlinable public var valueType: Any.Type { Value.self }
}

extension Publication: Stamped {
  @inlinable package func stamp(_ version: UInt64) { stamped.store(version, ordering: .relaxed) }
}

extension Publication: CustomStringConvertible {
  /// Where it comes from, its version and its state, for logs: `news 3: loaded(7)`.
  public var description: String { "\(source) \(version): \(state)" }
}
