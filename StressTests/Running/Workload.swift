import Dispatch
import SubPubTesting
import Support
import Testing

/// One kind of stress, and its share of the time.
enum Workload: String, CaseIterable, Sendable {
  case order, churn, joining, lifetime, overflow, cancel, fairness, reentrancy, sequences, payloads, endings, loading
  case editing, streams

  static var all: [Workload] { Array(allCases) }

  /// In percent.
  private var share: Double {
    switch self {
    case .order: 21
    case .churn: 12
    case .cancel: 12
    case .lifetime, .overflow, .reentrancy, .sequences, .endings, .loading: 6
    case .payloads, .fairness, .joining, .streams: 4
    case .editing: 3
    }
  }

  /// How many rounds run at once: while one comes to rest or is checked, another keeps the cores busy.
  private static let rounds = 3
  /// The seconds after which a round counts as stuck; usually it takes milliseconds.
  private static let patience = 90

  /// Runs rounds until the time is up, and checks each.
  func run(_ perform: @escaping @Sendable (Round) async -> RoundResult) async {
    let settings = StressSettings.current
    let end = ContinuousClock.now + .seconds(settings.seconds * share / 100)
    await withTaskGroup(of: Void.self) { group in
      for index in 0..<Self.rounds {
        group.addTask {
          var random = SeededGenerator(seed: settings.seed &* 1_000_003 &+ UInt64(self.hashOfName * 8 + index))
          repeat {
            await self.runOne(Round(seed: random.next(), threads: ThreadGroup(size: settings.threads)), perform)
          } while ContinuousClock.now < end
        }
      }
    }
  }

  private func runOne(_ round: Round, _ perform: @Sendable (Round) async -> RoundResult) async {
    let name = "workload \(self), round \(round.seed), repeat with \(StressSettings.current)"
    let watchdog = DispatchWorkItem { fatalError("A round has not ended within \(Self.patience) s: \(name)") }
    DispatchQueue.global().asyncAfter(deadline: .now() + .seconds(Self.patience), execute: watchdog)
    let result = await perform(round)
    watchdog.cancel()
    let violations = result.check()
    var figures = Figures()
    figures.add(result, violations: violations.count)
    Scoreboard.add(figures, of: rawValue)
    for violation in violations.prefix(3) { Issue.record("\(violation): \(name)") }
  }

  private var hashOfName: Int { rawValue.utf8.reduce(7) { ($0 &* 31 &+ Int($1)) & 0xFF_FFFF } }
}

/// What a round works with.
struct Round: Sendable {
  let seed: UInt64
  let threads: ThreadGroup

  /// A generator for one thread, or one purpose, of the round.
  func random(_ purpose: Int) -> SeededGenerator {
    SeededGenerator(seed: seed &+ UInt64(truncatingIfNeeded: purpose) &* 0x9E37)
  }
}

/// What a round passes to the checkers.
struct RoundResult: Sendable {
  var histories: [History] = []
  var floods: [Flood] = []
  var loads: [LoadHistory] = []
  /// What the round itself found.
  var violations: [Violation] = []

  func check() -> [Violation] {
    violations + histories.flatMap { Checker.check($0) } + floods.flatMap { $0.check() }
      + loads.flatMap { LoadChecker.check($0) }
  }
}
