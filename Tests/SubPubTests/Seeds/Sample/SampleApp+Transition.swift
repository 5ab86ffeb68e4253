extension SampleApp {
  /// A state without its values.
  enum Phase: String, Hashable, Sendable {
    case unknown, loading, loadingWithPrevious, fresh, stale, error, errorWithPrevious
  }

  /// What triggers a transition.
  enum Trigger: String, Hashable, Sendable {
    case appear, refresh, restart, loadNextPage, logout
    /// A screen cancels the tasks that wait for its loads.
    case leave
    /// The last reference to the manager is released.
    case release
    case answer
    /// The cache has a value; the load may go on.
    case cache
    /// The last attempt of a load is refused.
    case refusal
    /// The last attempt of a load times out.
    case timeout

    /// The trigger of the code that is running; a load's own task has none, because it doesn't inherit task-local values.
    @TaskLocal static var current: Trigger?
  }

  /// A change from one phase to the next, with its trigger.
  struct Transition: Hashable, Sendable, CustomStringConvertible {
    let from: Phase
    let trigger: Trigger
    let to: Phase

    var description: String { "\(from) -\(trigger)-> \(to)" }
  }
}

extension SampleApp.Transition {
  /// Every legal transition of a value that loads as a whole.
  ///
  /// Some triggers publish nothing: appearing while data is fresh, for example, or refreshing twice.
  static let whole: [Self] =
    on(
      [.unknown, .error],
      [.appear: [.loading], .refresh: [.loading], .restart: [.loading], .logout: [.unknown]])
    + on(
      [.loading],
      [
        .restart: [.loading], .answer: [.fresh], .refusal: [.error], .timeout: [.error], .logout: [.unknown],
        .leave: [.unknown, .error], .release: [.unknown, .error],
      ])
    + on(
      [.loadingWithPrevious],
      [
        .restart: [.loadingWithPrevious], .answer: [.fresh], .refusal: [.errorWithPrevious],
        .timeout: [.errorWithPrevious], .logout: [.unknown], .leave: [.fresh, .stale, .errorWithPrevious],
        .release: [.fresh, .stale, .errorWithPrevious],
      ])
    + on(
      [.fresh, .stale, .errorWithPrevious],
      [.refresh: [.loadingWithPrevious], .restart: [.loadingWithPrevious], .logout: [.unknown]])
    + on([.stale, .errorWithPrevious], [.appear: [.loadingWithPrevious]])
    + invalidated

  /// A load that began before the data was invalidated is superseded by any other, or ends with stale data.
  private static let invalidated: [Self] =
    on([.loading], [.appear: [.loading], .refresh: [.loading], .answer: [.stale]])
    + on(
      [.loadingWithPrevious],
      [.appear: [.loadingWithPrevious], .refresh: [.loadingWithPrevious], .answer: [.stale]])

  /// Every legal transition of a value that is found in a cache at first.
  static let cached: [Self] =
    whole
    + on([.loading], [.cache: [.fresh, .stale]])
    + on([.fresh, .stale], [.cache: [.loadingWithPrevious]])

  /// Every legal transition of a value whose refreshes are quiet, and that nobody invalidates.
  static let quiet: [Self] =
    on([.unknown, .error], [.appear: [.loading], .refresh: [.loading], .restart: [.loading], .logout: [.unknown]])
    + on(
      [.loading],
      [
        .restart: [.loading], .answer: [.fresh], .refusal: [.error], .timeout: [.error], .logout: [.unknown],
        .leave: [.unknown, .error], .release: [.unknown, .error],
      ])
    + on(
      [.fresh, .stale, .errorWithPrevious],
      [.answer: [.fresh], .refusal: [.errorWithPrevious], .timeout: [.errorWithPrevious], .logout: [.unknown]])

  /// Every legal transition of a paged list.
  ///
  /// A load of the first page supersedes a load of a later page, and the first page decides when the list is stale.
  static let paged: [Self] =
    whole
    + on([.unknown, .error, .loading], [.loadNextPage: [.loading]])
    + on([.fresh, .stale, .errorWithPrevious, .loadingWithPrevious], [.loadNextPage: [.loadingWithPrevious]])

  /// The tables, in the order of the features.
  static let tables: [(name: String, legal: [Self])] = [
    ("whole", whole), ("cached", cached), ("quiet", quiet), ("paged", paged),
  ]

  private static func on(_ phases: [SampleApp.Phase], _ results: [SampleApp.Trigger: [SampleApp.Phase]]) -> [Self] {
    phases.flatMap { from in
      results.flatMap { trigger, phases in phases.map { Self(from: from, trigger: trigger, to: $0) } }
    }
  }
}
