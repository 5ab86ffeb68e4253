/// What a manager knows about its loads and edits, and every decision about them.
///
/// A value that is changed in the publisher's turns: it decides what is to be done, and calls nothing. It doesn't know
/// the state that is shown, which others may change; each operation receives it as `Present`.
struct LoadMachine<Value: Sendable> {
  /// The settings of one manager's loads.
  struct Rules {
    /// How long data counts as fresh, at the longest; nil if it never becomes stale.
    var staleAfter: Duration?
    /// Shortens that; nil if all data counts as fresh for as long.
    var jitter: Jitter?
    /// How long `refreshIfNeeded` leaves an error alone (5.13).
    var errorStaleAfter = Duration.zero
    /// Whether a load publishes only its result while there is data (5.18).
    var isQuiet = false
    /// Whether edits are sent one at a time (5.24).
    var sendsOneAtATime = false

    /// Returns whether data of this age, which was new at that time, is stale.
    func isStale(_ age: Duration, since time: Duration?) -> Bool {
      staleAfter.map { age >= jitter.freshTime($0, since: time) } ?? false
    }
  }

  /// The state that is shown, as a turn has found it.
  struct Present {
    let publication: Publication<Value>
    let validity: DataValidity

    var state: LoadState<Value> { publication.state }
    var provenance: Provenance? { publication.provenance }
    /// When the data was new, on the manager's clock; nil if that isn't known.
    var freshSince: Duration? { validity.freshSince(provenance) }
  }

  let rules: Rules
  /// The active load; nil while nothing is loading, and once another transition has superseded the load.
  var load: ActiveLoad?
  /// The callers of the active load.
  var callers = LoadCallers()
  /// The failure that the present state shows; nil if it shows none, or an error that was published by hand.
  var failure: LoadFailure?
  var loadCount = 0
  /// Whether the value in the cache is from before an invalidation (5.15), or may lack a confirmed edit (5.20).
  var isCacheInvalidated = false
  /// Whether the manager is gone, or its publisher has ended: there are no more loads, edits, and polls.
  var isOver = false
  /// Tasks that wait between two refreshes, and stop when the manager is gone; true for those that stop at a logout.
  private(set) var polls: [WaiterID: Bool] = [:]
  /// How often the manager was logged out; a poll that ends at a logout compares it with the count from its beginning.
  var logouts = 0

  /// The edits that aren't confirmed yet, in the order of the calls (5.20).
  var edits: [Edit] = []
  /// While there are edits, the server's data below them; nil if there is none, so that no edit is shown.
  var dataBelow: ServerData?
  /// If edits are sent one at a time, the one that is next or being sent, which may have been dropped (5.24).
  var sending: EditID?
  /// How often the server's data has changed, as far as the manager knows: by loads, edits, and invalidations.
  ///
  /// When an edit ends, this is compared with the count from the edit's beginning.
  var serverChanges = 0
  /// Changes whenever the server's data or the edits do: what was prepared for another revision no longer fits.
  var revision = 0

  init(_ rules: Rules) { self.rules = rules }

  /// Begins a pause between two refreshes, which ends with the manager, and perhaps at a logout (5.17).
  mutating func beginPause(of task: WaiterID, endsAtLogout: Bool) { polls[task] = endsAtLogout }

  mutating func endPause(of task: WaiterID) { polls[task] = nil }

  /// Ends pauses, and has their tasks resumed.
  mutating func endPauses(ofAll isAll: Bool, _ step: inout LoadStep<Value>) {
    let ended = polls.filter { isAll || $0.value }.keys.sorted()
    for task in ended { polls[task] = nil }
    step.publisher.released += ended
  }

  /// Everything in it that foreign code has made, so that its last release runs foreign code.
  var foreignValues: ForeignValues { ForeignValues(load: load, edits: edits, dataBelow: dataBelow) }
  struct ForeignValues {
    let load: ActiveLoad?
    let edits: [Edit]
    let dataBelow: ServerData?
  }
}

/// Identifies a load of a manager.
struct LoadID: Hashable { let number: Int }

/// What a load loads.
enum LoadKind {
  /// All of the data, or its first page.
  case whole
  /// One more page.
  case page
}

/// A manager's load.
///
/// Every transition supersedes it (5.04), except its own, those of edits (5.20), and `republish()`.
struct ActiveLoad {
  let id: LoadID
  let kind: LoadKind
  /// Whether there is data; if not, the first page is also the next one.
  var hasData: Bool
  /// The phase to return to if the load is cancelled (5.05); nil if no `loading` of it is shown.
  var before: FormerPhase?
  /// The failure that belongs to `before`.
  var failureBefore: LoadFailure?
  /// Whether the data was invalidated since the load began, so that its result isn't fresh (5.15).
  var isOutdated = false
  /// Whether an edit was confirmed since the load began, so that its result may lack the edit (5.20).
  var missesEdit = false

  /// Returns whether the load's result is what a caller asks for; nil asks for whatever is being loaded.
  func covers(_ request: LoadKind?) -> Bool { request == nil || request == kind || (request == .page && !hasData) }
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

/// A failed load.
struct LoadFailure: Equatable {
  let kind: LoadKind
  /// When it failed, on the manager's clock; nil if that doesn't matter.
  let time: Duration?
  /// Whether the data was invalidated since the load began.
  var isOutdated = false
}

/// What a turn has decided about loads.
struct LoadStep<Value: Sendable> {
  enum Ending {
    /// The load has ended with a result: the state that is shown now.
    case finished
    /// The load was superseded or rolled back, so its task is to be cancelled.
    case cancelled
  }

  /// A change of the cache.
  enum CacheChange {
    /// `hasEdit` tells whether the data has a confirmed edit, which the value before it lacks.
    case write(ServerData<Value>, freshSince: Duration?, hasEdit: Bool)
    case clear
  }

  var publisher = PublisherStep<Value>()
  /// How the active load has ended; nil if it hasn't.
  var ending: Ending?
  /// The load that has begun, perhaps in place of the one that has ended.
  var begun: (id: LoadID, kind: LoadKind, readsCache: Bool)?
  var cacheChange: CacheChange?
}

extension LoadStep {
  /// Makes the present data stale.
  mutating func invalidate(_ present: LoadMachine<Value>.Present) {
    publisher.validity = present.validity
    publisher.validity?.isInvalidated = true
  }
}

/// What a caller asks for.
struct LoadRequest {
  /// What to load; nil for whatever is being loaded.
  var kind: LoadKind?
  /// Which cached value makes the load unnecessary (5.11).
  var accepts = AcceptedValue.none
  /// Whether to share an active load.
  var joins = true
  /// The number of logouts after which the request is void; nil for any.
  var logouts: Int?
}

/// The cached value with which a caller is content.
enum AcceptedValue {
  case none
  /// One that isn't stale.
  case fresh
  case youngerThan(Duration)
}

/// The answer to a request.
enum LoadAnswer: Equatable {
  /// The request has joined the active load.
  case joined
  /// The request has to be repeated when the active load has ended.
  case next
  /// The request's load has begun.
  case began
  /// There is nothing to load.
  case nothing
}
