/// What a manager knows, and every decision about it: a `LoadMachine` or a `StreamMachine`.
///
/// A value that is changed in the publisher's turns: it decides what is to be done, and calls nothing. It doesn't know
/// the state that is shown, which others may change; each operation receives it as `Present`.
protocol ManagerMachine<Value>: Sendable {
  associatedtype Value: Sendable

  /// The server's data and the pending edits.
  var stack: EditStack<Value> { get set }
  /// Whether the manager is gone, or its publisher has ended.
  var isOver: Bool { get }
  /// The number of the active run; nil if there is none.
  var activeRun: RunID? { get }
  /// The phase to which a cancel of the active run returns, with its error.
  var phaseBefore: FormerPhase? { get }

  /// What ends the active run, unless a listener arrives first.
  var departure: Departure? { get }

  /// Takes the last notice about listeners into account, once; nil if there is nothing new.
  mutating func noteListeners(_ present: Present) -> Step?
  /// Notes that the server has sent its data: an earlier error, and the phase before the load, no longer count.
  mutating func noteAnswer()
  /// Notes that the data at hand has become stale because of a change at the server, not by its age.
  mutating func noteStaleData()
  /// Ends the active run and drops the edits, because of another transition.
  mutating func supersede() -> Step
  /// Ends everything, because the publisher takes no further states (3.09).
  mutating func endPublisher() -> Step
  /// Ends everything, because the manager is gone (5.09).
  mutating func endManager(_ present: Present) -> Step
  /// Forgets all data, and has the cache cleared, after the publisher's end, too (5.10).
  mutating func logout(_ present: Present) -> Step

  /// Publishes a cached value, which was new at `freshSince`, unless there is newer data.
  mutating func find(
    _ cached: Cached<Value>, freshSince: Duration?, of id: RunID, _ prepared: Prepared<Value>?, _ present: Present
  ) -> Decision<Value>
  /// Shows that the run goes on.
  mutating func showLoading(of id: RunID, _ present: Present) -> Step

  /// Whether runs begin and end with the publisher's listeners.
  static var followsListeners: Bool { get }
}

extension ManagerMachine {
  static var followsListeners: Bool { false }
  var departure: Departure? { nil }
  func noteListeners(_ present: Present) -> Step? { nil }

  typealias Present = ManagerPresent<Value>
  typealias Step = ManagerStep<Value>
}

/// What a machine had before a decision, and may have dropped: its last release runs foreign code.
typealias ForeignValues<Value: Sendable> = (
  phase: FormerPhase?, dataBelow: ServerData<Value>?, dropped: [Edit<Value>]
)

/// The state that is shown, as a turn has found it.
struct ManagerPresent<Value: Sendable> {
  let publication: Publication<Value>
  var validity = DataValidity()
  /// Whether the thread runs a transform of `update`, in which nothing can be published.
  var isInTransform = false
  /// The last notice about listeners; nil for managers that don't follow them.
  var notice: (isListenedTo: Bool, number: UInt64)?

  var state: LoadState<Value> { publication.state }
  /// When the data was new, on the manager's clock; nil if that isn't known.
  var freshSince: Duration? { validity.freshSince(publication.provenance) }
}

/// What a turn has decided.
struct ManagerStep<Value: Sendable> {
  /// A change of the cache.
  enum CacheChange {
    /// `hasNews` tells whether the data has a confirmed edit, or something pushed, which the value before it lacks.
    case write(ServerData<Value>, freshSince: Duration?, hasNews: Bool)
    case clear
  }

  var publisher = PublisherStep<Value>()
  /// How the active run has ended; nil if it hasn't.
  var end: RunEnd?
  /// The run that has begun, perhaps in place of the one that has ended.
  var begun: (id: RunID, kind: LoadKind, readsCache: Bool)?
  var cacheChange: CacheChange?
  /// The departure after which a stream's run ends, unless a listener arrives first.
  var departure: Departure?
}

extension ManagerStep {
  /// Makes the present data stale.
  mutating func invalidate(_ present: ManagerPresent<Value>) {
    publisher.validity = present.validity
    publisher.validity?.isInvalidated = true
  }
}

/// What an operation comes to that may need foreign code.
enum Decision<Value: Sendable> {
  case done(ManagerStep<Value>)
  /// Nothing yet: foreign code comes first.
  case needs(Preparation<Value>)

  /// Nothing is to be done.
  static var nothing: Self { .done(ManagerStep()) }
}

/// Identifies a run of a manager: a load, or a run of a stream, and an attempt of that.
struct RunID: Hashable {
  let number: Int
  var attempt = 1
}

/// How a run has ended.
enum RunEnd {
  /// A load has its result, which is the state that is shown now, or a sequence has ended.
  case finished
  /// No attempt of a stream is left.
  case failed(any Error)
  /// The run was superseded or rolled back, so its task is to be cancelled.
  case cancelled

  var isByItself: Bool { if case .cancelled = self { false } else { true } }

  /// Throws the error with which the run has ended.
  func get() throws { if case .failed(let error) = self { throw error } }
}

/// What a load loads.
enum LoadKind {
  /// All of the data, or its first page.
  case whole
  /// One more page.
  case page
}

/// A state without its data.
typealias FormerPhase = LoadState<Void>

extension LoadState {
  /// Returns the state in the same phase with other data.
  func with<Data>(_ data: Data?) -> LoadState<Data> {
    switch self {
    case .unknown: .unknown
    case .loading: .loading(previous: data)
    case .loaded: data.map(LoadState<Data>.loaded) ?? .unknown
    case .error(let error, _): .error(error, previous: data)
    }
  }

  var withoutData: FormerPhase { map { _ in } }
}

/// Data of the server.
extension ManagerMachine {
  func serverData(_ present: Present) -> ServerData<Value>? { stack.serverData(present.publication) }

  /// Shows new data of the server, with the pending edits.
  mutating func show(_ data: ServerData<Value>, _ prepared: Prepared<Value>?, _ present: Present) -> Step {
    stack.take(data)
    var step = Step()
    step.publisher.published = present.publication.next(
      .loaded(prepared?.shown ?? data.value), stack.provenance(over: data))
    step.publisher.validity = DataValidity()
    return step
  }

  /// Publishes other data, or none, and changes the cache accordingly.
  mutating func replace(with data: ServerData<Value>?, _ present: Present) -> Step {
    var step = supersede()
    step.publisher.published = present.publication.next(data.map { .loaded($0.value) } ?? .unknown, data?.provenance)
    step.publisher.validity = DataValidity()
    stack.noteCache(isOutdated: false)
    step.cacheChange = data.map { .write($0, freshSince: $0.provenance?.freshSince, hasNews: false) } ?? .clear
    return step
  }

  /// Makes the present data stale, and also what was asked for before (5.15).
  mutating func invalidate(_ present: Present) -> Step {
    stack.invalidate()
    noteStaleData()
    var step = Step()
    step.invalidate(present)
    return step
  }

  /// Puts what the server has pushed into its data, under the pending edits (5.26).
  ///
  /// The active load may lack it, and so may the cache if there is no data.
  mutating func merge(
    _ change: @escaping @Sendable (Value) -> Value, _ prepared: Prepared<Value>?, _ present: Present
  ) -> Decision<Value> {
    if isOver { return .nothing }
    guard let data = serverData(present) else {
      stack.notePush()
      stack.noteCache(isOutdated: true)
      return .nothing
    }
    guard let prepared = stack.current(prepared) else {
      return .needs(stack.preparation(of: data, accepting: change))
    }
    stack.take(prepared.data)
    stack.notePush()
    stack.noteCache(isOutdated: present.validity.isInvalidated)
    var step = Step()
    step.publisher.published = present.publication.next(
      present.state.with(prepared.shown), stack.provenance(over: prepared.data))
    step.cacheChange = .write(prepared.data, freshSince: present.freshSince, hasNews: true)
    return .done(step)
  }
}
