import Testing

/// The trait of the suite: prints how to repeat the run before it, and the figures after it.
struct Scored: SuiteTrait, TestScoping {
  var isRecursive: Bool { false }

  func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void
  ) async throws {
    print(StressSettings.current)
    try await function()
    Scoreboard.report()
  }
}

/// Gathers the figures of all workloads.
enum Scoreboard {
  /// With nil, those of all workloads.
  private static let figures = Guarded<[Workload?: Figures]>([:])

  static func add(_ result: RoundResult, violations: Int, of workload: Workload) {
    figures.with { figures in
      for key in [workload, nil] { figures[key, default: Figures()].add(result, violations: violations) }
    }
  }

  static func report() {
    let (figures, settings) = (figures.value, StressSettings.current)
    guard let total = figures[nil] else { return }
    for workload in Workload.allCases {
      if let figures = figures[workload] { print("\(workload): \(figures.rounds) rounds, \(figures)") }
    }
    print(total.table)
    print("\(settings): \(total)")
    // A run that is long enough covers everything.
    guard figures.count == Workload.allCases.count + 1, settings.seconds >= 60 else { return }
    let (share, outcome) = total.least
    #expect(share >= 1, "each context, interface and policy has 1% of the deliveries; the least has \(share)%")
    #expect(outcome >= 1_000, "each outcome occurs 1,000 times; the least \(outcome)")
  }
}

/// How much was done, and how many violations were found.
struct Figures: Sendable, CustomStringConvertible {
  /// Deliveries are counted by context, interface and policy, and cancels by outcome.
  private enum Category: String, CaseIterable { case contexts, interfaces, policies, cancels }

  private(set) var rounds = 0
  private var (operations, deliveries, histories, violations) = (0, 0, 0, 0)
  private var counts: [Category: [String: Int]] = [:]

  mutating func add(_ result: RoundResult, violations found: Int) {
    rounds += 1
    violations += found
    operations += result.operations + result.histories.map(\.calls.count).reduce(0, +)
    deliveries += result.deliveries
    for subscription in result.histories.flatMap(\.subscriptions) { add(subscription) }
  }

  private mutating func add(_ history: SubscriptionHistory) {
    let count = history.deliveries.count
    histories += 1
    operations += 1 + history.cancels.count + history.readings.count
    deliveries += count
    tally(.contexts, history.context.map { "\($0)" } ?? "task", count)
    tally(.interfaces, "\(history.interface)", count)
    tally(.policies, String("\(history.policy)".prefix { $0.isLetter }), count)
    for cancel in history.cancels {
      if case .outcome(let outcome) = cancel.answer { tally(.cancels, "\(outcome)", 1) }
    }
  }

  private mutating func tally(_ category: Category, _ name: String, _ count: Int) {
    counts[category, default: [:]][name, default: 0] += count
  }

  var description: String {
    "\(operations) operations, \(deliveries) deliveries, \(histories) histories checked, \(violations) violations"
  }

  /// The share of each context, interface and policy, and how often each outcome occurred.
  var table: String {
    Category.allCases.map { category in
      let sorted = counts[category, default: [:]].sorted { $0.value > $1.value }
      let figures = sorted.map { name, count in category == .cancels ? "\(name) \(count)" : "\(name) \(share(count))%" }
      return "\(category): \(figures.joined(separator: ", "))"
    }.joined(separator: "\n")
  }

  /// The least share in percent of a context, interface or policy, and how often the rarest outcome occurred.
  var least: (share: Double, outcome: Int) {
    let kinds = [ContextKind.allCases.count + 1, Interface.allCases.count, 3, 4]
    let least = zip(Category.allCases, kinds).map { category, kinds in
      let counts = counts[category, default: [:]]
      return counts.count < kinds ? 0 : counts.values.min() ?? 0
    }
    return (share(least[0..<3].min() ?? 0), least[3])
  }

  /// In percent of all deliveries.
  private func share(_ count: Int) -> Double {
    (Double(count) * 1_000 / Double(max(1, deliveries))).rounded(.down) / 10
  }
}
