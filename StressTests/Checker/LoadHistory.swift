import SubPub

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
  var logouts: [LogoutRecord] = []
  /// Versions that are known to come from other transitions, and not from loads.
  var foreign: Set<UInt64> = []
  /// Some of the waits haven't returned.
  var hasHangingWaits = false
}

/// The operations on a manager, which determine what may happen to its loads.
struct LoadMix: OptionSet, Hashable, Sendable {
  let rawValue: Int

  static let refresh = LoadMix(rawValue: 1)
  static let appear = LoadMix(rawValue: 2)
  static let restart = LoadMix(rawValue: 4)
  static let nextPage = LoadMix(rawValue: 8)
  static let cancel = LoadMix(rawValue: 16)
  static let logout = LoadMix(rawValue: 32)
  /// Transitions that no load makes.
  static let foreign = LoadMix(rawValue: 64)
  /// The same state once more, which supersedes nothing.
  static let copies = LoadMix(rawValue: 128)
  /// The data becomes stale, so that nobody joins a load that began before.
  static let invalidate = LoadMix(rawValue: 256)
  /// Loads are cancelled, whoever waits for them.
  static let abandon = LoadMix(rawValue: 512)
  /// Values that no load has returned.
  static let set = LoadMix(rawValue: 1024)
  /// Tasks that refresh again and again until they are cancelled.
  static let poll = LoadMix(rawValue: 2048)

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

  var operations: [LoadMix] { (0..<12).map { LoadMix(rawValue: 1 << $0) }.filter { contains($0) } }
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
  let version: UInt64
  let begin: UInt64
  var end: UInt64 = .max
  var outcome = Outcome.open
}

/// One wait for a load.
struct LoadWait: Hashable, Sendable {
  let operation: LoadMix
  let begin: UInt64
  /// The publisher's version before the wait.
  let version: UInt64
  /// The phase that it returned, and the calls that its value and its error come from.
  let phase: LoadPhase
  let item: Int?
  let failure: Int?
}

/// One logout, recorded when it has returned.
struct LogoutRecord: Hashable, Sendable {
  /// The number of the next login.
  let login: Int
  /// The publisher's version after the logout, or a later one.
  let version: UInt64
}

/// A value that a loader returns, or that is set by hand.
struct LoadedItem: Hashable, Sendable {
  /// The number of the call; negative for a value that is set by hand.
  let number: Int
  /// The number of the login when the call began.
  let login: Int
  let page: Int
  /// Its index in the page.
  let place: Int
}
