/// The state of a manager's loads, as its registry knows it.
struct LoadingState {
  /// Whether a manager has loaded, edited, or invalidated anything; otherwise, a transition needn't look at the rest.
  var isInUse = false
  /// The active load; nil while nothing is loading, and once another transition has superseded the load.
  var active: ActiveLoad?
  /// The callers of the active load, apart from it, so that copies of it aren't copies of them.
  var callers = LoadCallers()
  /// The results of loads that have ended, for waiters that haven't fetched them yet.
  var results: [WaiterID: any BoxedPublication] = [:]
  /// What has happened to the present data since it was published.
  var validity = DataValidity()
  /// Whether the value in the cache is from before an invalidation (5.15), or may lack a confirmed edit (5.20).
  var isCacheInvalidated = false
  /// The last failure of a load, which counts while its version is the newest.
  var failure: LoadFailure?
  /// The pending edits, a `PendingEdits` of the publisher's type; nil if there are none (5.20).
  var edits: (any AnyObject & Sendable)?
  /// How often the server's data has changed, as far as the manager knows: by edits and invalidations.
  var serverChanges = 0
  /// Tasks that wait between two refreshes, and stop when the manager is gone.
  var polls: [WaiterID] = []
  var isManagerGone = false
}

/// What has happened to data since it was published.
struct DataValidity {
  /// Whether it counts as stale (5.15).
  var isInvalidated = false
  /// The last load that has found it unchanged (5.18).
  var confirmation: Confirmation?

  struct Confirmation {
    /// The time on the manager's clock; nil if it wasn't measured.
    let time: Duration?
  }

  /// Returns when the data was new; nil if that isn't known.
  func freshSince(_ provenance: Provenance?) -> Duration? {
    // A load that has found the data unchanged has made it new, and published nothing.
    if let confirmation { confirmation.time } else { provenance?.freshSince }
  }
}

/// A failed load.
struct LoadFailure {
  let kind: ActiveLoad.Kind
  /// When it failed, on the manager's clock; nil if that doesn't matter.
  let time: Duration?
  /// The version of the error.
  var version: UInt64 = 0
  /// Whether the data was invalidated since the load began.
  var isOutdated = false
}

/// What a caller asks a manager for.
struct LoadRequest {
  /// What to load; nil for whatever is being loaded.
  let kind: ActiveLoad.Kind?
  /// The age below which a cached value makes the load unnecessary (5.11); nil if nothing does.
  let acceptedAge: Duration?
}

/// A manager's load, with the state to return to.
///
/// A publisher has at most one. Every transition supersedes it (5.04), except its own, those of edits (5.20), and
/// `republish()`.
struct ActiveLoad {
  enum Kind: Sendable {
    /// All of the data, or its first page.
    case whole
    /// One more page.
    case page
  }

  let task: LoadTask
  let kind: Kind
  /// Whether there is data; if not, the first page is also the next one.
  var replacesData: Bool
  /// The state before the load, in a publication that has no version yet; nil if the load has published nothing.
  ///
  /// It is published when the last waiter is cancelled (5.05).
  var before: (any BoxedPublication)?
  /// The failure that belongs to `before`.
  var failureBefore: LoadFailure?
  /// Whether the data was invalidated since the load began, so that its result isn't fresh (5.15).
  var isOutdated = false
  /// Whether an edit was confirmed since the load began, so that its result may lack the edit (5.20).
  var missesEdit = false

  init(_ task: LoadTask, _ kind: Kind, replacesData: Bool, before: (any BoxedPublication)?) {
    self.task = task
    self.kind = kind
    self.replacesData = replacesData
    self.before = before
  }

  /// Returns whether the load's result is what a caller asks for.
  func covers(_ request: Kind?) -> Bool {
    request == nil || request == kind || (request == .page && !replacesData)
  }
}

/// Who has asked for a load; joining and leaving cost the same for any number.
struct LoadCallers {
  /// The age below which a cached value satisfies a caller; nil if nothing but a load does.
  private typealias AcceptedAge = Duration?

  private var waiting: [WaiterID: AcceptedAge] = [:]
  /// The callers that don't wait, and so can't be cancelled: none, or one for all, because they accept the same age.
  private var staying: [AcceptedAge] = []

  var isEmpty: Bool { waiting.isEmpty && staying.isEmpty }

  /// The callers that wait, in the order in which they came.
  var waiters: [WaiterID] { waiting.keys.sorted() }

  /// Whether a cached value of this age satisfies all callers.
  func accept(_ age: Duration) -> Bool {
    func isYoung(_ accepted: AcceptedAge) -> Bool { accepted.map { age < $0 } ?? false }
    return waiting.values.allSatisfy(isYoung) && staying.allSatisfy(isYoung)
  }

  /// Adds a caller; the waiter is nil if it doesn't wait.
  mutating func add(_ waiter: WaiterID?, accepting age: Duration?) {
    if let waiter {
      waiting.updateValue(age, forKey: waiter)
    } else if staying.isEmpty {
      staying.append(age)
    }
  }

  /// Removes a waiter; returns false if it isn't one of these.
  mutating func remove(_ waiter: WaiterID) -> Bool { waiting.removeValue(forKey: waiter) != nil }

  /// The callers that don't wait.
  var withoutWaiters: LoadCallers {
    var kept = LoadCallers()
    kept.staying = staying
    return kept
  }
}

/// The present data of a manager, as one turn has found it.
struct PresentState {
  let current: any BoxedPublication
  let validity: DataValidity
  /// The failure that the current state shows; nil if it shows none, or one that was published by hand.
  let failure: LoadFailure?
  let load: ActiveLoad?
  let edits: (any AnyObject & Sendable)?
  let serverChanges: Int
}
