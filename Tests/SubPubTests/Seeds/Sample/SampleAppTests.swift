import Foundation
import SubPub
import Testing

@Suite("The sample app of the seed documents never leaves its table of transitions", .timeLimit(.minutes(30)))
struct SampleAppTests {
  @Test("every transition is in the table, and every entry of the table occurs")
  func stochastic_5_01_5_04_5_05_5_07_5_08_wholeSample() async {
    let report = await SampleApp.Report.of(Self.seeds)
    print(report)
    for failure in report.failures { Issue.record(Comment(rawValue: failure)) }
    #expect(report.failing == 0)
    // A few runs may miss a rare transition.
    guard report.runs >= 500 else { return }
    let least = report.runs / 100
    for (name, legal, counts) in report.tables {
      for transition in legal {
        #expect(counts[transition, default: 0] >= least, "\(name): \(transition)")
      }
    }
  }

  @Test("the same seed repeats the same run")
  func required_7_02_sameRun() async {
    let (first, second) = (await SampleApp.Report.of(1..<51), await SampleApp.Report.of(1..<51))
    #expect(first.histories == second.histories)
    #expect(Set(first.histories).count == 50)
  }

  /// The seeds to run: `STRESS_SEEDS` of them, starting with `STRESS_SEED`.
  static var seeds: Range<UInt64> {
    #if DEBUG
      let usual: UInt64 = 500
    #else
      let usual: UInt64 = 1_000
    #endif
    let environment = ProcessInfo.processInfo.environment
    let first = environment["STRESS_SEED"].flatMap(UInt64.init) ?? 1
    return first..<first + (environment["STRESS_SEEDS"].flatMap(UInt64.init) ?? usual)
  }
}

extension SampleApp {
  /// The outcome of many runs.
  struct Report: Sendable, CustomStringConvertible {
    private(set) var runs = 0
    private(set) var failing = 0
    /// The first few problems, with the settings that repeat them.
    private(set) var failures: [String] = []
    /// The histories of the first runs.
    private(set) var histories: [[String]] = []
    private var counts = Transition.tables.map { _ in [Transition: Int]() }

    /// Runs the app once for each seed, on a thread of its own because that takes long.
    static func of(_ seeds: Range<UInt64>) async -> Report {
      await withCheckedContinuation { finished in
        Thread.detachNewThread {
          var report = Report()
          for seed in seeds { report.add(Run(seed: seed), seed) }
          finished.resume(returning: report)
        }
      }
    }

    private mutating func add(_ run: Run, _ seed: UInt64) {
      runs += 1
      for index in counts.indices { counts[index].merge(run.counts[index], uniquingKeysWith: +) }
      if histories.count < 50 { histories.append(run.history) }
      guard !run.problems.isEmpty else { return }
      failing += 1
      if failures.count < 3 {
        let problems = run.problems.prefix(5).joined(separator: "\n")
        failures.append("to repeat it: STRESS_SEED=\(seed) STRESS_SEEDS=1\n\(problems)")
      }
    }

    var tables: [(name: String, legal: [Transition], counts: [Transition: Int])] {
      zip(Transition.tables, counts).map { ($0.name, $0.legal, $1) }
    }

    var description: String {
      let rarest = tables.flatMap { table in
        table.legal.map { (count: table.counts[$0, default: 0], text: "\(table.name) \($0)") }
      }.sorted { $0.count < $1.count }.prefix(6).map { "\($0.text) \($0.count)" }
      let count = tables.reduce(0) { $0 + $1.counts.values.reduce(0, +) }
      return "sample: \(runs) runs, \(count) transitions, \(failing) failing; rarest: \(rarest.joined(separator: ", "))"
    }
  }
}
