import Foundation

extension SampleApp {
  /// What many runs came to.
  struct Report: Sendable, CustomStringConvertible {
    private(set) var runs = 0
    private(set) var failing = 0
    /// The first few, each with the setting that repeats it.
    private(set) var failures: [String] = []
    /// Of the first runs.
    private(set) var histories: [[String]] = []
    private var whole: [Transition: Int] = [:]
    private var pages: [Transition: Int] = [:]

    /// On a thread of its own, which may be busy for long.
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
      whole.merge(run.whole, uniquingKeysWith: +)
      pages.merge(run.pages, uniquingKeysWith: +)
      if histories.count < 50 { histories.append(run.history) }
      guard !run.problems.isEmpty else { return }
      failing += 1
      if failures.count < 3 {
        let problems = run.problems.prefix(5).joined(separator: "\n")
        failures.append("to repeat it alone: STRESS_SEED=\(seed) STRESS_SEEDS=1\n\(problems)")
      }
    }

    var tables: [(name: String, legal: [Transition], seen: [Transition: Int])] {
      [("table", Transition.legal, whole), ("list", Transition.legalForPages, pages)]
    }

    var description: String {
      let rarest = tables.flatMap { table in
        table.legal.map { (count: table.seen[$0, default: 0], text: "\(table.name) \($0)") }
      }.sorted { $0.count < $1.count }.prefix(6).map { "\($0.text) \($0.count)" }
      let count = tables.reduce(0) { $0 + $1.seen.values.reduce(0, +) }
      return "sample: \(runs) runs, \(count) transitions, \(failing) failing; rarest: \(rarest.joined(separator: ", "))"
    }
  }
}
