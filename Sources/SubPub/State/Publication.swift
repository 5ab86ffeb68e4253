public import Synchronization

/// One accepted transition of a publisher: a state and its version.
///
/// A publication is immutable. All of its recipients share one object.
public typealias Publication<Value: Sendable> = StatePublication<LoadState<Value>>

/// The class behind ``Publication``; use that name instead.
///
/// Generic over the state instead of the value: when an object is destroyed, it finds the types that its class is
/// generic over at once, but would have to look up the type of the state from that of the value.
@_fixed_layout public final class StatePublication<State: LoadStateProtocol>: AnyPublication {
  /// The state that was published.
  public let state: State
  /// The ``StatePublisher/id`` of the publisher.
  public let source: PublisherID
  /// Where the data, or the previous data, comes from; nil without data.
  @usableFromInline let provenance: Provenance?
  /// The version, written once, in the turn that accepts the publication.
  ///
  /// The end of that turn, and every handover of the publication, order the write before all reads, so relaxed accesses
  /// are enough.
  @usableFromInline let stampedVersion = Atomic<UInt64>(0)
  /// What it carries besides its state; set before anybody else sees it.
  private let carriedObject = AtomicLazyReference<Carried>()

  @inlinable
  init(_ state: State, source: PublisherID, provenance: Provenance?) {
    self.state = state
    self.source = source
    self.provenance = provenance
  }

  /// The publisher's version: the number of transitions up to and including this one (1.01).
  @inlinable public var version: UInt64 { stampedVersion.load(ordering: .relaxed) }
  /// The phase of the state.
  @inlinable public var phase: LoadPhase { state.phase }
  /// The error of a failed load; nil in every other state.
  @inlinable public var error: (any Error)? { state.error }
  /// The loaded or previous value, with its type erased; nil if there is none.
  @inlinable public var anyValue: (any Sendable)? { state.value }
  /// Where the data, or the previous data, comes from; nil without data (5.11).
  @inlinable public var origin: DataOrigin? { provenance?.origin }
  /// The type of the publisher's values.
  @inlinable public var valueType: Any.Type { State.Value.self }
}

extension StatePublication: CustomStringConvertible {
  /// The publisher, the version, and the state, for logs: `news 3: loaded(7)`.
  public var description: String { "\(source) \(version): \(state)" }
}

/// A publication whose value type isn't known statically.
///
/// A ``Subscriber`` or ``MainActorSubscriber`` of several publishers receives it. Test for the types that you handle:
/// `if let news = publication as? Publication<[News]>`. To handle the errors of all publishers, you don't need the
/// type: ``phase``, ``error``, ``source``, and ``version`` are enough.
public protocol AnyPublication: AnyObject, Sendable {
  /// The publisher's version: the number of transitions up to and including this one (1.01).
  var version: UInt64 { get }
  /// The ``StatePublisher/id`` of the publisher.
  var source: PublisherID { get }
  /// The phase of the state.
  var phase: LoadPhase { get }
  /// The error of a failed load; nil in every other state.
  var error: (any Error)? { get }
  /// The loaded or previous value, with its type erased; nil if there is none.
  var anyValue: (any Sendable)? { get }
  /// Where the data, or the previous data, comes from; nil without data (5.11).
  var origin: DataOrigin? { get }
  /// The type of the publisher's values.
  var valueType: Any.Type { get }
  /// Identifies the publication for clients that come back (6.05).
  var id: PublicationID { get }
}

/// A publication as the engine sees it: a box that receives its version when it is accepted.
///
/// The engine isn't generic. Only the generic interfaces know the types of the contents.
@usableFromInline
package protocol BoxedPublication: AnyObject, Sendable {
  /// Sets the version, once, in the turn that accepts the publication and before anyone else can see it.
  func stamp(_ version: UInt64)
  /// Whether the state is `loaded`; some sequences skip all other states.
  var isLoaded: Bool { get }
  /// Whether the state is `unknown`, so that everything from before is forgotten.
  var isUnknown: Bool { get }
  /// Identifies it for clients that come back.
  var id: PublicationID { get }
  /// What it carries besides its state; nil for most.
  var carried: Carried? { get }
  /// Has it carry something, before anyone else can see it.
  func carry(_ carried: Carried)
  /// The publication; nil for a call of a delegate.
  var publication: (any AnyPublication)? { get }
}

extension StatePublication: BoxedPublication {
  @inlinable package func stamp(_ version: UInt64) { stampedVersion.store(version, ordering: .relaxed) }

  @inlinable package var isLoaded: Bool { state.phase == .loaded }
  @usableFromInline package var isUnknown: Bool { state.phase == .unknown }
  @usableFromInline package var carried: Carried? { carriedObject.load() }
  @usableFromInline package func carry(_ carried: Carried) { _ = carriedObject.storeIfNil(carried) }
  @usableFromInline package var publication: (any AnyPublication)? { self }

  /// Whether its data isn't that of the process whose identifier it has.
  package var isDataInherited: Bool {
    if let carried, carried.id != nil { carried.isDataInherited } else { provenance?.isForeign ?? false }
  }

  /// Makes a publication for the same publisher, whose data comes from the same place.
  func next(_ state: State) -> StatePublication { next(state, provenance) }

  /// Makes a publication for the same publisher.
  func next(_ state: State, _ provenance: Provenance?) -> StatePublication {
    StatePublication(state, source: source, provenance: provenance)
  }

  /// Casts a box that a publisher of this type has filled.
  @inlinable @inline(__always)
  static func from(_ box: any BoxedPublication) -> StatePublication {
    unsafe unsafeDowncast(box, to: StatePublication.self)
  }
}
