import SubPub
import SubPubTesting

extension SampleApp {
  /// What the features of one run have in common.
  struct Environment: Sendable {
    let clock: ManualClock
    let executor: ManualExecutor
    let retry: RetryPolicy
    /// When the cached value was written, some time before the managers were made.
    let start: ManualClock.Instant
    /// How many requests a load makes before it fails.
    let attempts: ClosedRange<Int>
  }

  /// A manager with its service, and the screens that show what it publishes.
  ///
  /// `@unchecked Sendable`: only the thread that runs the executor uses its variables.
  final class Feature<M: Manager>: @unchecked Sendable {
    typealias Load = @Sendable (M, Action) async -> Void

    let publisher: Publisher<M.Value>
    let checker: TransitionChecker<M.Value>
    let screens: [Screen<M.Value>]
    private let service: Service
    private let executor: ManualExecutor
    private let load: Load
    private let invalidate: (@Sendable (M) -> Void)?
    private var manager: M?
    private var calls = (begun: 0, ended: 0)
    private var tasks: [[Task<Void, Never>]]

    init(
      _ manager: M, _ environment: Environment, _ service: Service, _ legal: [Transition],
      items: @escaping @Sendable (M.Value) -> [Item], load: @escaping Load,
      invalidate: (@Sendable (M) -> Void)? = nil
    ) {
      self.invalidate = invalidate
      self.manager = manager
      self.service = service
      self.load = load
      publisher = manager.publisher
      executor = environment.executor
      checker = TransitionChecker(
        legal, attempts: environment.attempts, service, environment.clock, isQuiet: invalidate == nil,
        written: environment.start, items: items)
      screens = Screen.Kind.allCases.map { Screen($0, environment.executor, items) }
      tasks = screens.map { _ in [] }
      publisher.subscribe(checker, on: .immediate)
    }

    func perform(_ action: Action, on screen: Int) {
      guard let manager else { return }
      switch action {
      case .appear:
        screens[screen].subscribe(to: publisher)
        Trigger.$current.withValue(.appear) { manager.refreshIfNeeded() }
      case .refresh: start(action, .refresh, on: screen, manager)
      case .restart: start(action, .restart, on: screen, manager)
      case .loadNextPage: start(action, .loadNextPage, on: screen, manager)
      case .leave:
        let left = tasks[screen]
        tasks[screen] = []
        Trigger.$current.withValue(.leave) { for task in left { task.cancel() } }
      case .invalidate:
        guard let invalidate else { return }
        checker.invalidate()
        invalidate(manager)
      case .logout:
        service.beginNextLogin()
        Trigger.$current.withValue(.logout) { manager.logout() }
      }
    }

    private func start(_ action: Action, _ trigger: Trigger, on screen: Int, _ manager: M) {
      calls.begun += 1
      let task = Task.detached(executorPreference: executor) { [self] in
        await Trigger.$current.withValue(trigger) { await load(manager, action) }
        calls.ended += 1
      }
      tasks[screen].append(task)
    }

    /// Releases the manager, which then lives only as long as a call of it runs.
    func release() {
      tasks = []
      Trigger.$current.withValue(.release) { manager = nil }
    }
  }
}

extension SampleApp.Feature {
  private static func options(
    _ label: String, _ environment: SampleApp.Environment, cache: (any StateCache<M.Value>)? = nil,
    refreshes: RefreshVisibility = .visible
  ) -> LoadingOptions<M.Value> {
    LoadingOptions(on: environment.executor, clock: environment.clock) { options in
      options.cache = cache
      options.refreshes = refreshes
      options.label = label
      options.staleAfter = SampleApp.staleAfter
      options.timeout = SampleApp.timeout
      options.retry = environment.retry
    }
  }
}

extension SampleApp.Feature where M == LoadingManager<[SampleApp.Item]> {
  static func whole(_ environment: SampleApp.Environment, seed: UInt64) -> Self {
    make(options("whole", environment), environment, SampleApp.Transition.whole, seed: seed) { $0.invalidate() }
  }

  /// Finds a value of an earlier run in a cache.
  static func cached(
    _ environment: SampleApp.Environment, seed: UInt64, _ cache: some StateCache<M.Value>
  ) -> Self {
    make(options("cached", environment, cache: cache), environment, SampleApp.Transition.cached, seed: seed) {
      $0.invalidate()
    }
  }

  static func quiet(_ environment: SampleApp.Environment, seed: UInt64) -> Self {
    make(options("quiet", environment, refreshes: .quiet), environment, SampleApp.Transition.quiet, seed: seed)
  }

  private static func make(
    _ options: LoadingOptions<M.Value>, _ environment: SampleApp.Environment, _ legal: [SampleApp.Transition],
    seed: UInt64, invalidate: (@Sendable (M) -> Void)? = nil
  ) -> Self {
    let service = SampleApp.Service(seed: seed, clock: environment.clock, executor: environment.executor)
    let manager = LoadingManager(options) { try await service.items() }
    return Self(
      manager, environment, service, legal, items: { $0 },
      load: { await $0.refresh(restarting: $1 == .restart) }, invalidate: invalidate)
  }
}

extension SampleApp.Feature where M == PagedManager<SampleApp.Item, Int> {
  static func paged(_ environment: SampleApp.Environment, seed: UInt64) -> Self {
    let (clock, executor) = (environment.clock, environment.executor)
    let service = SampleApp.Service(seed: seed, clock: clock, executor: executor)
    let manager = PagedManager<SampleApp.Item, Int>(options("paged", environment), firstPage: 0) {
      try await service.page($0)
    }
    return Self(
      manager, environment, service, SampleApp.Transition.paged, items: { $0.elements },
      load: { manager, action in
        if action == .loadNextPage {
          await manager.loadNextPage()
        } else {
          await manager.refresh(restarting: action == .restart)
        }
      }, invalidate: { $0.invalidate() })
  }
}

extension SampleApp.Feature {
  /// What is wrong after everything has ended; `isPrompt` says that every job ran before the clock advanced.
  func problems(isPrompt: Bool) -> [String] {
    var problems = checker.problems
    if calls.begun != calls.ended { problems.append("5.05: \(calls.begun - calls.ended) calls haven't returned") }
    let pending = service.requests.count { $0.outcome == .pending }
    if pending > 0 { problems.append("5.04: \(pending) calls of the loader haven't ended") }
    if publisher.state.phase == .loading { problems.append("5.05: left at \(publisher.state)") }
    if isPrompt { problems += uncancelledRequests.map { "5.04: nothing has cancelled \($0)" } }
    return problems + screens.flatMap(problems(on:))
  }

  /// Requests that went on after the end of their load, although they respond to cancellation.
  private var uncancelledRequests: [SampleApp.Service.Request] {
    service.requests.filter { request in
      guard !request.ignoresCancellation, let end = request.end, let endOfLoad = checker.end(of: request.version) else {
        return false
      }
      return end > endOfLoad
    }
  }

  /// Checks that a screen has received what was published, in order, up to the last version.
  private func problems(on screen: SampleApp.Screen<M.Value>) -> [String] {
    let (published, received) = (checker.published, screen.received)
    guard let first = received.first, let last = received.last else { return [] }
    var problems: [String] = []
    for (before, after) in zip(received, received.dropFirst()) where after.version <= before.version {
      problems.append("1.02: \(after) after \(before) on \(screen.kind)")
    }
    for snapshot in received where published.dropFirst(Int(snapshot.version)).first != snapshot {
      problems.append("1.02: \(screen.kind) received \(snapshot), which was never published")
    }
    if last.version != publisher.current.version { problems.append("1.03: \(screen.kind) ends with \(last)") }
    if screen.kind != .latestOnActor, received.count != Int(last.version - first.version) + 1 {
      problems.append("2.01: \(screen.kind) has missed versions")
    }
    return problems
  }

  /// Everything that was published, and everything that each screen received.
  var history: [String] { ([checker.published] + screens.map(\.received)).map { "\($0)" } }
}
