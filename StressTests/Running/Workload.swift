import Dispatch
import Testing

/// One kind of stress, and its share of the time.
enum Workload: String, CaseIterable, Sendable {
  case order, churn, cancel, endings, clients, loading, editing, streams

  /// In percent.
  private var share: Double {
    switch self {
    case .order: 22
    case .churn: 24
    case .cancel: 16
    case .clients: 8
    case .endings, .loading: 10
    case .streams: 6
    case .editing: 4
    }
  }

  /// How many rounds run at once: while one comes to rest or is checked, another keeps the cores busy.
  private static let rounds = 3

  /// Runs rounds until the time is up, and checks each.
  func run(_ perform: @escaping @Sendable (Round) async -> RoundResult) async {
    let settings = StressSettings.current
    let end = ContinuousClock.now + .seconds(settings.seconds * share / 100)
    let hash = rawValue.utf8.reduce(7) { ($0 &* 31 &+ Int($1)) & 0xFF_FFFF }
    await withTaskGroup(of: Void.self) { group in
      for index in 0..<Self.rounds {
        group.addTask {
          var random = SeededGenerator(seed: settings.seed &* 1_000_003 &+ UInt64(hash * 8 + index))
          repeat {
            await self.run(Round(seed: random.next(), threads: Threads(count: settings.threads)), perform)
          } while ContinuousClock.now < end
        }
      }
    }
  }

  private func run(_ round: Round, _ perform: @Sendable (Round) async -> RoundResult) async {
    let name = "workload \(self), round \(round.seed), repeat with \(StressSettings.current)"
    let result = await HangLimit.watch(name) { await perform(round) }
    let violations = result.check()
    Scoreboard.add(result, violations: violations.count, of: self)
    for violation in violations.prefix(3) { Issue.record("\(violation): \(name)") }
  }
}

/// What a round works with.
struct Round: Sendable {
  let seed: UInt64
  let threads: Threads

  /// A generator for one thread, or one purpose, of the round.
  func random(_ purpose: Int) -> SeededGenerator {
    SeededGenerator(seed: seed &+ UInt64(truncatingIfNeeded: purpose) &* 0x9E37)
  }

  /// Runs the body on each thread, with choices and a caller of its own; returns the results and all calls.
  func play<R: Sendable>(
    _ body: @escaping @Sendable (_ index: Int, _ random: inout SeededGenerator, _ caller: inout Caller) -> R
  ) async -> ([R], calls: [Call]) {
    let played = await threads.run { index in
      var (random, caller) = (self.random(index), Caller(index + 1))
      let result = body(index, &random, &caller)
      return (result, caller.calls)
    }
    return (played.map(\.0), played.flatMap(\.1))
  }
}

/// What a round passes to the checkers.
struct RoundResult: Sendable {
  var histories: [History] = []
  /// Operations and deliveries that no history has.
  var operations = 0
  var deliveries = 0
  /// What the round itself found.
  let findings = Findings()

  func check() -> [Violation] {
    findings.violations + histories.flatMap { Checker.check($0) }
  }
}
