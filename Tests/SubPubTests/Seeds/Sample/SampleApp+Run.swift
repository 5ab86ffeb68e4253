import SubPub
import SubPubTesting

extension SampleApp {
  /// One run of the app, which its seed decides.
  struct Run {
    let problems: [String]
    let history: [String]
    /// The transitions of each feature.
    let counts: [[Transition: Int]]

    init(seed: UInt64) {
      var random = SeededGenerator(seed: seed)
      let (clock, executor) = (ManualClock(), ManualExecutor(seed: random.next()))
      let (attempts, isPrompt) = (max(1, random.draw(4)), random.chance(50))
      let retry = RetryPolicy.exponential(
        maxAttempts: attempts, initial: .milliseconds(50), maximum: .seconds(1), jitter: 0.5, seed: random.next())
      // If jobs run late, an attempt may time out before it has made its request.
      let environment = Environment(
        clock: clock, executor: executor, retry: retry, start: clock.now,
        attempts: (isPrompt ? attempts : 0)...attempts)
      let cache = MemoryCache(limit: 10, clock: clock).cache(for: "items", of: [Item].self)
      cache.write([.cached])
      clock.advance(by: .milliseconds(random.draw(4_000)))
      let whole = [
        Feature.whole(environment, seed: random.next()), Feature.cached(environment, seed: random.next(), cache),
        Feature.quiet(environment, seed: random.next()),
      ]
      let paged = Feature.paged(environment, seed: random.next())
      Self.use(whole, paged, clock, executor, isPrompt: isPrompt, &random)
      var problems = whole.flatMap { $0.problems(isPrompt: isPrompt) } + paged.problems(isPrompt: isPrompt)
      if clock.sleepers > 0 { problems.append("5.07: \(clock.sleepers) sleeps are left") }
      if executor.pending > 0 { problems.append("5.04: \(executor.pending) jobs are left") }
      self.problems = problems
      history = whole.flatMap(\.history) + paged.history + ["\(clock)"]
      counts = whole.map(\.checker.counts) + [paged.checker.counts]
    }

    private static func use(
      _ whole: [Feature<LoadingManager<[Item]>>], _ paged: Feature<PagedManager<Item, Int>>, _ clock: ManualClock,
      _ executor: ManualExecutor, isPrompt: Bool, _ random: inout SeededGenerator
    ) {
      for _ in 0..<400 {
        switch random.draw(10) {
        case 0..<4:
          let (action, screen, number) = (Action.draw(&random), random.draw(3), random.draw(4))
          executor.schedule {
            for (index, feature) in whole.enumerated() where index == number || action == .logout {
              // Only the paged feature has pages.
              feature.perform(action == .loadNextPage ? .refresh : action, on: screen)
            }
            if number == whole.count || action == .logout { paged.perform(action, on: screen) }
          }
        case 4..<6:
          if isPrompt { executor.runAll() }
          clock.advance(by: .milliseconds(random.draw(random.chance(15) ? 3_000 : 200)))
        default: for _ in 0..<random.draw(12) { executor.runOne() }
        }
      }
      // Half of the runs release the managers while nothing happens, the others during a load that no caller awaits.
      if random.chance(50) { finish(clock, executor) } else { abandonLoads(whole, paged, executor) }
      for feature in whole { feature.release() }
      paged.release()
      finish(clock, executor)
    }

    private static func abandonLoads(
      _ whole: [Feature<LoadingManager<[Item]>>], _ paged: Feature<PagedManager<Item, Int>>,
      _ executor: ManualExecutor
    ) {
      executor.runAll()
      for action in [Action.refresh, .appear] {
        for feature in whole { feature.perform(action, on: 0) }
        paged.perform(action, on: 0)
        executor.runAll()
      }
      for screen in paged.screens.indices {
        for feature in whole { feature.perform(.leave, on: screen) }
        paged.perform(.leave, on: screen)
      }
      executor.runAll()
    }

    private static func finish(_ clock: ManualClock, _ executor: ManualExecutor) {
      repeat { executor.runAll() } while clock.advanceToNextDeadline()
    }
  }
}
