import Foundation
import SubPub
import Support
import Testing

/// Gathers the figures of all workloads, and prints them at the end of the suite.
enum Scoreboard {
  private static let all = Guarded<[String: Figures]>([:])

  static func add(_ figures: Figures, of workload: String) {
    all.with { $0[workload, default: Figures()].add(figures) }
  }

  static func report() {
    let found = all.with { $0 }
    guard !found.isEmpty else { return }
    var total = Figures()
    for figures in found.values { total.add(figures) }
    let usage = ProcessUsage.current
    for (name, figures) in found.sorted(by: { $0.key < $1.key }) {
      print("\(name): \(figures.rounds) rounds, \(figures)")
    }
    print(total.table)
    print("processor seconds: \(usage.seconds); resident at most \(usage.residentMegabytes) MB")
    print("\(StressSettings.current): \(total)")
    // A run that is long enough covers everything.
    if found.count == Workload.all.count, StressSettings.current.seconds >= 60 {
      let least = total.least
      #expect(
        least.share >= 1, "each context, interface and policy has 1% of the deliveries; the least has \(least.share)%")
      #expect(least.outcome >= 1_000, "each outcome occurs 1,000 times; the least \(least.outcome)")
    }
  }
}

/// The trait of the suite: prints how to repeat the run before it, and the figures after it.
struct Scored: SuiteTrait, TestScoping {
  var isRecursive: Bool { false }

  func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void
  )
    async throws
  {
    print(StressSettings.current)
    try await function()
    Scoreboard.report()
  }
}

/// How much was done, and how many violations were found.
struct Figures: Sendable {
  private(set) var rounds = 0
  private var operations = 0
  private var deliveries = 0
  private var histories = 0
  private var violations = 0
  private var counts: [Category: [String: Int]] = [:]

  /// Deliveries are counted by context, interface and policy, and cancels by outcome.
  private enum Category: String, CaseIterable {
    case contexts, interfaces, policies, cancels

    /// How many names each category has.
    var kinds: Int {
      switch self {
      case .contexts: ContextKind.allCases.count + 1
      case .interfaces: Interface.allCases.count
      case .policies: 3
      case .cancels: 4
      }
    }
  }

  mutating func add(_ result: RoundResult, violations found: Int) {
    rounds += 1
    violations += found
    for history in result.histories {
      operations += history.calls.count
      for subscription in history.subscriptions { add(subscription) }
    }
    for history in result.loads {
      operations += history.operations
      deliveries += history.publications.count
      histories += 1
    }
  }

  private mutating func add(_ history: SubscriptionHistory) {
    let count = history.deliveries.count
    histories += 1
    operations += 1 + history.cancels.count + history.readings.count
    deliveries += count
    counts[.contexts, default: [:]][history.context.map { "\($0)" } ?? "task", default: 0] += count
    counts[.interfaces, default: [:]]["\(history.interface)", default: 0] += count
    counts[.policies, default: [:]][history.policy.name, default: 0] += count
    for cancel in history.cancels {
      if case .outcome(let outcome) = cancel.answer { counts[.cancels, default: [:]]["\(outcome)", default: 0] += 1 }
    }
  }

  mutating func add(_ other: Figures) {
    rounds += other.rounds
    operations += other.operations
    deliveries += other.deliveries
    histories += other.histories
    violations += other.violations
    counts.merge(other.counts) { $0.merging($1, uniquingKeysWith: +) }
  }
}

extension Figures: CustomStringConvertible {
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
    let least = Category.allCases.map { category in
      let counts = counts[category, default: [:]]
      return counts.count < category.kinds ? 0 : counts.values.min() ?? 0
    }
    return (share(least[0..<3].min() ?? 0), least[3])
  }

  /// In percent of all deliveries.
  private func share(_ count: Int) -> Double {
    (Double(count) * 1_000 / Double(max(1, deliveries))).rounded(.down) / 10
  }
}

/// The processor time and memory that the process has used.
struct ProcessUsage: Sendable {
  /// User and system time together.
  let seconds: Double
  /// The most memory that was ever resident.
  let residentMegabytes: Int

  #if canImport(Glibc)
    private static let itself = RUSAGE_SELF.rawValue
  #else
    private static let itself = RUSAGE_SELF
  #endif

  static var current: ProcessUsage {
    var usage = rusage()
    unsafe getrusage(Self.itself, &usage)
    let seconds = Double(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec)
    let rest = Double(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6
    return ProcessUsage(
      seconds: ((seconds + rest) * 10).rounded() / 10, residentMegabytes: Int(usage.ru_maxrss) / 1_024)
  }
}
