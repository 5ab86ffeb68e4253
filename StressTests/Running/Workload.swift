import Dispatch
import Testing

/// One kind of stress, and how much of the time it gets.
enum Workload: String, CaseIterable, Sendable {
  case order, churn, joining, lifetime, overflow, cancel, fairness, reentrancy, sequences, payloads, endings, loading

  static var all: [Workload] { Array(allCases) }

  /// In percent.
  private var share: Double {
    switch self {
    case .order: 28
    case .churn: 12
    case .cancel: 12
    case .lifetime, .overflow, .reentrancy, .sequences, .endings, .loading: 6
    case .payloads, .fairness, .joining: 4
    }
  }

  /// How many rounds go on at once: while one comes to rest or is checked, another hammers.
  private static let lanes = 3
  /// A round takes milliseconds; one that takes so long never ends.
  private static let patience = 90

  /// Runs rounds until the time is up, and checks each.
  func run(_ perform: @escaping @Sendable (Round) async -> RoundResult) async {
    let settings = StressSettings.current
    let end = ContinuousClock.now + .seconds(settings.seconds * share / 100)
    await withTaskGroup(of: Void.self) { group in
      for lane in 0..<Self.lanes {
        group.addTask {
          var random = SplitMix(seed: settings.seed &* 1_000_003 &+ UInt64(self.hashOfName * 8 + lane))
          repeat {
            await self.runOne(Round(seed: random.next(), crew: Crew(size: settings.threads)), perform)
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
