/// What a manager knows about its loads and edits, and every decision about them.
struct LoadMachine<Value: Sendable>: ManagerMachine {
  typealias Present = ManagerPresent<Value>
  typealias Step = ManagerStep<Value>

  /// Loads the value, or one more page; called once for each attempt.
  ///
  /// It receives the current data as a closure, so that a loader that doesn't call it doesn't keep the data alive.
  typealias Load = @Sendable (LoadKind, _ previous: @Sendable () -> Value?) async throws -> Value

  /// The settings of one manager's loads.
  struct Rules {
    /// How long data counts as fresh, at the longest; nil if it never becomes stale.
    var staleAfter: Duration?
    /// Shortens that; nil if all data counts as fresh for as long.
    var jitter: Jitter?
    /// How long `refreshIfNeeded` and `value` leave an error alone (5.13).
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

  let rules: Rules
  var stack: EditStack<Value>
  /// The active load; nil while nothing is loading, and once another transition has superseded the load.
  var load: ActiveLoad?
  /// The failure that the present state shows; nil if it shows none, or an error that was published by hand.
  var failure: LoadFailure?
  /// How many loads have begun.
  var loadCount = 0
  var polls = Polls()
  /// Whether there are no more loads, edits, and polls.
  var isOver = false

  init(_ rules: Rules) { (self.rules, stack) = (rules, EditStack(sendsOneAtATime: rules.sendsOneAtATime)) }

  var activeRun: RunID? { load?.id }
  var phaseBefore: FormerPhase? { load?.before?.phase }

  mutating func noteAnswer() {
    failure = nil
    if load?.before != nil { load?.before = (.loaded(()), nil) }
  }

  /// However young a failure is that came before, `refreshIfNeeded` loads again.
  mutating func noteStaleData() {
    failure?.isOutdated = true
    load?.before?.failure?.isOutdated = true
  }
}

/// A manager's load.
///
/// Every transition supersedes it (5.04), except its own, those of edits (5.20) and merges (5.26), and `republish()`.
struct ActiveLoad {
  let id: RunID
  let kind: LoadKind
  /// Whether there is data; if not, the first page is also the next one.
  var hasData: Bool
  /// The changes of the server's data when the load began.
  let seen: ServerChanges
  /// The phase to return to if the load is cancelled (5.05), and its failure; nil if no `loading` of it is shown.
  var before: (phase: FormerPhase, failure: LoadFailure?)?
  var callers = LoadCallers()

  /// Returns whether the load's result is what a caller asks for; nil asks for whatever is being loaded.
  func covers(_ request: LoadKind?) -> Bool { request == nil || request == kind || (request == .page && !hasData) }
}

/// A failed load.
struct LoadFailure: Equatable {
  let kind: LoadKind
  /// When it failed, on the manager's clock; nil if that doesn't matter.
  let time: Duration?
  /// Whether the data was invalidated since the load began.
  var isOutdated = false
}

/// The tasks that refresh again and again (5.17).
struct Polls {
  /// The tasks that wait between two refreshes, and stop when the manager is gone; true for those that stop at a
  /// logout.
  var pausing: [WaiterID: Bool] = [:]
  /// How often the manager was logged out; a poll that ends at a logout compares it with the count from its beginning.
  private(set) var logouts = 0
  /// When a load has ended last, whoever has asked for it, on the manager's clock; nil if that isn't known.
  var lastEnd: Duration?

  /// Returns the tasks that don't pause any longer, because everything ends.
  mutating func end() -> [WaiterID] { end { _ in true } }

  /// Returns the tasks that don't pause any longer, because their polls end at a logout.
  mutating func logOut() -> [WaiterID] {
    logouts += 1
    return end { $0 }
  }

  private mutating func end(where isEnding: (Bool) -> Bool) -> [WaiterID] {
    let ended = pausing.filter { isEnding($0.value) }.keys.sorted()
    for task in ended { pausing[task] = nil }
    return ended
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

/// What a caller gets who asks for the value.
enum ValueAnswer {
  /// The present value.
  case fresh
  /// The present error, because the last load has failed a moment ago (5.13).
  case failed
  case load(LoadAnswer)
}
