import Foundation
import Testing

/// Gathers the figures of all workloads, and prints them when the suite has ended.
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
    // A run that is long enough has been everywhere.
    if found.count == Workload.all.count, StressSettings.current.seconds >= 60 {
      let least = total.least
      #expect(
        least.share >= 1, "each context, face and policy makes up 1% of the deliveries; the least \(least.share)%")
      #expect(least.outcome >= 1_000, "each outcome occurs 1,000 times; the least \(least.outcome)")
    }
  }
}

/// On the suite: begins by saying how to repeat the run, and ends with the figures.
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
