public import Synchronization

/// One accepted transition of a publisher: a state with its version.
///
/// Immutable, and shared by everyone who receives it.
@_fixed_layout public final class Publication<Value: Sendable>: AnyPublication {
  /// The state that was published.
  public let state: LoadState<Value>
  /// The publisher's ``Publisher/id``.
  public let source: PublisherID
  /// When the data, or the previous data, was accepted, less the age that it had then. On the publisher's clock. Nil if it
  /// can't become stale.
  @usableFromInline let freshSince: Duration?
  /// Written once, in the turn that accepts the publication. The end of that turn, and whatever passes the publication on,
  /// orders the write before every read, so relaxed accesses are enough.
  @usableFromInline let stampedVersion = Atomic<UInt64>(0)

  @inlinable
  init(_ state: LoadState<Value>, source: PublisherID, freshSince: Duration?) {
    self.state = state
    self.source = source
    self.freshSince = freshSince
  }

  /// The number of transitions that the publisher had made when it accepted this state, this one included (1.01).
  @inlinable public var version: UInt64 { stampedVersion.load(ordering: .relaxed) }
  /// The state without its data.
  @inlinable public var phase: LoadPhase { state.phase }
  /// The error of a failed load.
  @inlinable public var error: (any Error)? { state.error }
  /// The loaded value, or the previous one, without its type.
  @inlinable public var anyValue: (any Sendable)? { state.value }
  /// The type of the publisher's values.
  @inlinable public var valueType: Any.Type { Value.self }
}

extension Publication: CustomStringConvertible {
  /// The publisher, the version and the state, for logs: `news 3: loaded(7)`.
  public var description: String { "\(source) \(version): \(state)" }
}

/// A publication whose value type isn't known, as a ``Subscriber`` of several publishers receives it.
///
/// Test for the types that you handle: `if let news = publication as? Publication<[News]>`. A handler of all errors needs no
/// type: ``phase``, ``error``, ``source`` and ``version`` are enough.
public protocol AnyPublication: AnyObject, Sendable {
  /// The number of transitions that the publisher had made when it accepted this state, this one included (1.01).
  var version: UInt64 { get }
  /// The publisher's ``Publisher/id``.
  var source: PublisherID { get }
  /// The state without its data.
  var phase: LoadPhase { get }
  /// The error of a failed load.
  var error: (any Error)? { get }
  /// The loaded value, or the previous one, without its type.
  var anyValue: (any Sendable)? { get }
  /// The type of the publisher's values.
  var valueType: Any.Type { get }
}

/// What the engine moves: a box that learns its version when it is accepted. The engine isn't generic, and only the generic
/// interfaces know what is in the boxes.
@usableFromInline
package protocol BoxedPublication: AnyObject, Sendable {
  /// Called once, in the turn that accepts it, before anybody else can see it.
  func stamp(_ version: UInt64)
  /// Whether it is a loaded value, which is all that some sequences are interested in.
  var isLoaded: Bool { get }
}

extension Publication: BoxedPublication {
  @inlinable package func stamp(_ version: UInt64) { stampedVersion.store(version, ordering: .relaxed) }

  @inlinable package var isLoaded: Bool { if case .loaded = state { true } else { false } }

  /// The publication in a box that a publisher of this type has filled.
  @inlinable @inline(__always)
  static func from(_ box: any BoxedPublication) -> Publication { unsafe unsafeDowncast(box, to: Publication.self) }
}
