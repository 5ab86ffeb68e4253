import SubPub
import SubPubTesting

extension SampleApp {
  /// One run of the sample: the same seed, the same run.
  struct Run {
    let problems: [String]
    let history: [String]
    let whole: [Transition: Int]
    let pages: [Transition: Int]

    init(seed: UInt64) {
      var random = SeededGenerator(seed: seed)
      let (clock, executor) = (ManualClock(), ManualExecutor(seed: random.next()))
      let (attempts, isPrompt) = (max(1, random.draw(4)), random.chance(50))
      let retry = RetryPolicy.exponential(
        maxAttempts: attempts, initial: .milliseconds(50), maximum: .seconds(1), jitter: 0.5, seed: random.next())
      // An attempt whose task is late has its time run out before it has called the loader.
      let called = (isPrompt ? attempts : 0)...attempts
      let table = Stage.whole(seed: random.next(), called, retry, clock, executor)
      let list = Stage.pages(seed: random.next(), called, retry, clock, executor)
      Self.play(table, list, clock, executor, isPrompt: isPrompt, &random)
      var problems = table.problems(isPrompt: isPrompt) + list.problems(isPrompt: isPrompt)
      if clock.sleepers > 0 { problems.append("5.07: \(clock.sleepers) still sleep") }
      if executor.pending > 0 { problems.append("5.04: \(executor.pending) jobs are left") }
      self.problems = problems
      history = table.history + list.history + ["\(clock)"]
      (whole, pages) = (table.notary.seen, list.notary.seen)
    }

    private static func play(
      _ table: Stage<LoadingManager<[Item]>>, _ list: Stage<PagedManager<Item, Int>>, _ clock: ManualClock,
      _ executor: ManualExecutor, isPrompt: Bool, _ random: inout SeededGenerator
    ) {
      for _ in 0..<200 {
        switch random.draw(10) {
        case 0..<4:
          let (action, screen, isTable) = (Action.draw(&random), random.draw(3), random.draw(2) == 0)
          executor.schedule {
            // There is no next page of all: a pull does.
            if isTable || action == .logout { table.act(action == .nextPage ? .pull : action, of: screen) }
            if !isTable || action == .logout { list.act(action, of: screen) }
          }
        case 4..<6:
          if isPrompt { executor.runAll() }
          clock.advance(by: .milliseconds(random.draw(random.chance(15) ? 3_000 : 200)))
        default: for _ in 0..<random.draw(12) { executor.runOne() }
        }
      }
      // Half of the runs end at rest, the others in the middle of a load that nobody awaits any more.
      if random.chance(50) { rest(clock, executor) } else { interrupt(table, list, executor) }
      table.release()
      list.release()
      rest(clock, executor)
    }

    private static func interrupt(
      _ table: Stage<LoadingManager<[Item]>>, _ list: Stage<PagedManager<Item, Int>>, _ executor: ManualExecutor
    ) {
      executor.runAll()
      for action in [Action.pull, .appear] {
        table.act(action, of: 0)
        list.act(action, of: 0)
        executor.runAll()
      }
      for screen in table.screens.indices {
        table.act(.leave, of: screen)
        list.act(.leave, of: screen)
      }
      executor.runAll()
    }

    private static func rest(_ clock: ManualClock, _ executor: ManualExecutor) {
      repeat { executor.runAll() } while clock.advanceToNextDeadline()
    }
  }
}
