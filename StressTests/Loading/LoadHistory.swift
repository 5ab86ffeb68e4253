/// Everything that happened at one manager in one round.
struct LoadHistory: Sendable {
  var operations = 0
  /// What was done to the manager.
  var mix: LoadMix
  /// How often a loader is called for one load.
  var attempts = 1
  /// What one unbounded subscriber received from the beginning.
  var publications: [LoadPublication] = []
  var finalVersion: UInt64 = 0
  var calls: [LoaderCall] = []
  var waits: [LoadWait] = []
  /// For each logout, the number of the next login, and the publisher's version when it had returned.
  var logouts: [(login: Int, version: UInt64)] = []
  /// Versions that are known to come from other transitions, and not from loads.
  var foreign: Set<UInt64> = []
  /// Some of the waits haven't returned.
  var hasHangingWaits = false
}

/// An operation on a manager.
enum LoadOperation: CaseIterable, Sendable {
  case refresh, appear, restart, nextPage, cancel, logout
  /// A transition that no load makes.
  case foreign
  /// The same state once more, which supersedes nothing.
  case copies
  /// The data becomes stale, so that nobody joins a load that began before.
  case invalidate
  /// The load is cancelled, whoever waits for it.
  case abandon
  /// A value that no load has returned.
  case set
  /// A task refreshes again and again until it is cancelled.
  case poll
}

/// The operations on a manager, which determine what may happen to its loads.
typealias LoadMix = Set<LoadOperation>

extension LoadMix {
  /// No load is superseded or cancelled, so calls of the loader follow each other.
  var isShared: Bool {
    isDisjoint(with: [.restart, .cancel, .logout, .foreign, .invalidate, .abandon, .set, .poll]) && !refreshesPages
  }
  /// One `loading` may follow another.
  var mayRepeatLoading: Bool { !isDisjoint(with: [.restart, .foreign, .copies, .invalidate]) || refreshesPages }
  /// The state from before a load may come back.
  var mayRestore: Bool { !isDisjoint(with: [.cancel, .abandon, .poll]) }
  /// A load of the first page supersedes one of a later page.
  private var refreshesPages: Bool { isSuperset(of: [.nextPage, .refresh]) }
}

/// One state of a manager's publisher.
struct LoadPublication: Hashable, Sendable {
  var version: UInt64
  let phase: LoadPhase
  /// The value, loaded or previous.
  var items: [LoadedItem] = []
  /// The call whose error it is; nil if there is none, or if no loader has thrown it.
  var failure: Int?
}

/// One call of a loader; its number is its index.
struct LoaderCall: Hashable, Sendable {
  enum Outcome: Sendable { case open, answered, failed, cancelled }

  var page = 0
  /// The publisher's version when the call began, or an earlier one.
  var version: UInt64
  let begin: UInt64
  var end: UInt64 = .max
  var outcome = Outcome.open
}

/// One wait for a load.
struct LoadWait: Hashable, Sendable {
  let operation: LoadOperation
  let begin: UInt64
  /// The publisher's version before the wait.
  let version: UInt64
  /// The phase that it returned, and the calls that its value and its error come from.
  let phase: LoadPhase
  let item: Int?
  var failure: Int?
}

/// A value that a loader returns, or that is set by hand.
struct LoadedItem: Hashable, Sendable {
  /// The number of the call; negative for a value that is set by hand.
  let number: Int
  /// The number of the login when the call began.
  var login = 0
  var page = 0
  /// Its index in the page.
  var place = 0
}
