import SubPub
import SubPubTesting
import Support
import Testing

/// A seed decides what screens ask for, cancel and log out, what a service answers and when, and what a cache has.
@Suite("Loads that are requested and cancelled at random publish nothing without a reason", .timeLimit(.minutes(30)))
struct LoadScheduleTests {
  @Test("every publication has a cause that allows it, and every cause occurs")
  func stochastic_5_01_5_02_5_04_5_05_5_06_5_11_5_15_5_18_causes() async {
    let seeds = SeedRange()
    let found = await Scheduler.onThread {
      var found: Set<String> = []
      for seed in seeds.all {
        let schedule = LoadSchedule(seed: seed)
        found.formUnion(schedule.causes)
        guard let problem = schedule.problems.first else { continue }
        Issue.record("STRESS_SEED=\(seed) STRESS_SEEDS=1 repeats it: \(problem) in \(schedule.history)")
        break
      }
      return found
    }
    let all: Set = [
      "appear loading", "refresh loading", "restart loading", "cache loading", "cache loaded", "answer loaded",
      "refusal error", "timeout error", "logout unknown", "leave unknown", "leave loaded", "leave error",
      "release unknown", "release loaded", "release error",
    ]
    if seeds.count >= 500 { #expect(found == all) }
  }
}

/// The history of one manager; only the thread that runs the executor uses its variables.
private final class LoadSchedule: @unchecked Sendable {
  enum Cause: String {
    case appear, refresh, restart, leave, logout, release, answer, cache, refusal, timeout

    /// That of the code that is running; a load's own task has none, because it inherits no task-local values.
    @TaskLocal static var current: Cause?

    /// That of a load's own publication.
    init?(_ publication: Publication<Item>) {
      switch publication.state {
      case .loaded: self = publication.origin == .cached ? .cache : .answer
      case .loading where publication.origin == .cached: self = .cache
      case .error(is Refusal, _): self = .refusal
      case .error(is LoadTimedOut, _): self = .timeout
      case .unknown, .loading, .error: return nil
      }
    }
  }

  /// What the service returns.
  struct Item: Hashable {
    let login: Int
    let request: Int

    /// What the cache has at the start, which no request has returned.
    static let cached = Item(login: 1, request: -1)
  }

  struct Refusal: Error {}

  private let clock = ManualClock()
  private let executor: ManualExecutor
  private let isQuiet: Bool
  private var random: SeededGenerator
  private var manager: LoadingManager<Item>?
  private var observation: ScopedSubscription?
  private var tasks: [Task<Void, Never>] = []
  private var (login, openCalls) = (1, 0)
  /// The version at each request, which is that of the `loading` of its load.
  private var requests: [UInt64] = []
  private var answered: Set<Int> = []
  /// When the data of a request was published.
  private var arrivals: [Int: ManualClock.Instant]
  /// The version at which the present data was invalidated, if it was.
  private var invalidation: UInt64?
  /// Whether the cached value is from before an invalidation, however the load of that time has ended.
  private var isCacheInvalidated = false
  private var last: Publication<Item>?
  /// The last state that wasn't loading.
  private var settled = LoadState<Item>.unknown
  private(set) var causes: Set<String> = []
  private(set) var problems: [String] = []
  private(set) var history: [String] = []

  init(seed: UInt64) {
    random = SeededGenerator(seed: seed)
    executor = ManualExecutor(seed: random.next())
    arrivals = [Item.cached.request: clock.now]
    let cache = MemoryCache(limit: 1, clock: clock).cache(for: "item", of: Item.self)
    if random.draw(2) == 0 { cache.write(.cached) }
    clock.advance(by: .milliseconds(random.draw(4_000)))
    isQuiet = random.draw(2) == 0
    let retry = RetryPolicy.exponential(
      maxAttempts: 1 + random.draw(3), initial: .milliseconds(50), maximum: .seconds(1), jitter: 0.5,
      seed: random.next())
    let options = LoadingOptions<Item>(on: executor, clock: clock) { [isQuiet] options in
      options.label = "item"
      (options.cache, options.refreshes) = (cache, isQuiet ? .quiet : .visible)
      (options.staleAfter, options.timeout, options.retry) = (.seconds(2), .seconds(1), retry)
    }
    manager = LoadingManager(options) { try await self.answer() }
    observation = manager?.publisher.observe(on: .immediate) { self.receive($0) }
    play()
    observation = nil
  }

  private func play() {
    for _ in 0..<300 {
      switch random.draw(10) {
      case 0..<4: act()
      case 4..<6:
        if random.draw(2) == 0 { executor.runAll() }
        clock.advance(by: .milliseconds(random.draw(random.draw(7) == 0 ? 3_000 : 200)))
      default: for _ in 0..<random.draw(12) { executor.runOne() }
      }
    }
    finish()
    // Half of the schedules release the manager during a load that nobody awaits.
    if random.draw(2) == 0 { Cause.$current.withValue(.appear) { manager?.refreshIfNeeded() } }
    executor.runAll()
    Cause.$current.withValue(.release) { manager = nil }
    finish()
    if openCalls > 0 { problems.append("5.05: \(openCalls) calls never return") }
    if last?.phase == .loading { problems.append("5.05: the state is loading forever") }
  }

  private func finish() { repeat { executor.runAll() } while clock.advanceToNextDeadline() }

  private func act() {
    switch random.draw(48) {
    case 0..<12: Cause.$current.withValue(.appear) { manager?.refreshIfNeeded() }
    case 12..<24: refresh(.refresh)
    case 24..<30: refresh(.restart)
    case 30..<40:
      Cause.$current.withValue(.leave) { for task in tasks { task.cancel() } }
      tasks = []
    case 40..<46 where !isQuiet:
      (invalidation, isCacheInvalidated) = (last?.version, true)
      manager?.invalidate()
    default:
      login += 1
      Cause.$current.withValue(.logout) { manager?.logout() }
    }
  }

  private func refresh(_ cause: Cause) {
    openCalls += 1
    let task = Task.detached(executorPreference: executor) { [self, manager] in
      _ = await Cause.$current.withValue(cause) { await manager?.refresh(restarting: cause == .restart) }
      openCalls -= 1
    }
    tasks.append(task)
  }

  /// The service: it may be slow, refuse, or ignore a cancellation.
  private func answer() async throws -> Item {
    let item = Item(login: login, request: requests.count)
    requests.append(last?.version ?? 0)
    let delay = Duration.milliseconds(random.draw(random.draw(10) == 0 ? 3_000 : 500))
    if random.draw(3) == 0 {
      await Task.detached(executorPreference: executor) { [clock] in try? await clock.sleep(for: delay) }.value
    } else {
      try await clock.sleep(for: delay)
    }
    if random.draw(5) == 0 { throw Refusal() }
    answered.insert(item.request)
    return item
  }

  private func receive(_ new: Publication<Item>) {
    history.append("\(new)")
    defer { last = new }
    guard let last else { return }
    let cause = Cause.current ?? Cause(new)
    let name = cause?.rawValue ?? "nothing"
    causes.insert("\(name) \(new.phase)")
    if new.version != last.version + 1 || !isAllowed(new, after: last, cause) {
      problems.append("\(new) after \(last) because of \(name)")
    }
    if new.phase != .loading { settled = new.state }
    switch (new.state, cause) {
    case (.loaded(let item), .answer):
      arrivals[item.request] = clock.now
      // A load that began before doesn't make the data valid.
      if let old = invalidation, requests[item.request] > old { invalidation = nil }
      isCacheInvalidated = invalidation != nil
    case (_, .cache): if isCacheInvalidated { invalidation = new.version }
    case (.unknown, _): invalidation = nil
    default: break
    }
  }

  private func isAllowed(_ new: Publication<Item>, after last: Publication<Item>, _ cause: Cause?) -> Bool {
    let keepsData = new.state.value == last.state.value
    // A load is joined unless the data was invalidated after its beginning; a quiet one shows only without data.
    let isAlone = last.phase != .loading || invalidation != nil
    let mayShow = keepsData && (!isQuiet || last.state.value == nil)
    switch (new.state, cause) {
    case (.unknown, .logout): return true
    case (.loading, .appear): return mayShow && isAlone && !(last.phase == .loaded && isFresh(last.state.value))
    case (.loading, .refresh): return mayShow && isAlone
    case (.loading, .restart): return mayShow
    case (.loading, .cache): return mayShow && last.phase == .loaded
    case (.loaded(let item), .cache): return item == .cached && login == 1 && last.phase == .loading
    case (.loaded(let item), .answer):
      // The request was made for the load whose `loading` this replaces.
      let isOwn = isQuiet ? requests[item.request] <= last.version : requests[item.request] == last.version
      return isOwn && answered.contains(item.request) && item.login == login
    case (.error, .refusal), (.error, .timeout): return keepsData && (isQuiet || last.phase == .loading)
    case (_, .leave), (_, .release):
      return new.state == settled && last.phase == .loading
    default: return false
    }
  }

  private func isFresh(_ item: Item?) -> Bool {
    guard invalidation == nil, let arrival = item.flatMap({ arrivals[$0.request] }) else { return false }
    return arrival.duration(to: clock.now) < .seconds(2)
  }
}
