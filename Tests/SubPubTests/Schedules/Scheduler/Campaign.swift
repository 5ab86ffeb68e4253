import Foundation
import Support
import Testing

/// Runs histories with many seeds, on threads of its own.
enum Campaign {
  /// Runs a history for each seed.
  static func run(
    _ name: String, _ seeds: SeedRange, workers: Int = 2,
    _ make: @escaping @Sendable (Scheduler) -> SimulatedHistory
  ) async -> Report {
    await Scheduler.onThread {
      let decider = SeededDecider()
      let scheduler = Scheduler(decider, workers: workers)
      var report = Report(name)
      for seed in seeds.all {
        seeds.announce(seed, of: name)
        decider.seed(seed)
        let history = make(scheduler)
        guard scheduler.play(history) else {
          // The thread of the blocked strand is lost, so no further seed can be tried.
          report.fail(["1.04: blocked forever"], seed: seed, scheduler.trace)
          return report
        }
        report.add(history, scheduler.trace, seed: seed)
        history.end()
      }
      scheduler.end()
      return report
    }
  }
}

/// The seeds to try: `STRESS_SEEDS` of them, from `STRESS_SEED` on.
///
/// With `STRESS_PRINT=1` each is printed before it is tried, so that it is known if it crashes the process.
struct SeedRange: Sendable {
  private static let environment = ProcessInfo.processInfo.environment
  #if DEBUG
    private static let usual = TestRounds.of(150, full: 500)
  #else
    private static let usual = TestRounds.of(600, full: 2_000)
  #endif

  var first = Self.environment["STRESS_SEED"].flatMap(UInt64.init) ?? 1
  var count = Self.environment["STRESS_SEEDS"].flatMap(Int.init) ?? usual

  var all: Range<UInt64> { first..<first + UInt64(count) }

  func announce(_ seed: UInt64, of scenario: String) {
    guard Self.environment["STRESS_PRINT"] == "1" else { return }
    FileHandle.standardError.write(Data("\(scenario): seed \(seed)\n".utf8))
  }
}

/// A summary of the histories of a scenario.
struct Report: Sendable {
  private let scenario: String
  private var seeds = 0
  private(set) var steps = 0
  private var overlapping = 0
  /// The digest of all histories in order.
  private(set) var digest: UInt64 = 0
  /// The digest of the last history.
  private(set) var last: UInt64 = 0
  private var digests: Set<UInt64> = []
  private var failing = 0
  /// The first failure, with all events of its history.
  private var failure: String?

  init(_ scenario: String) { self.scenario = scenario }

  /// How many different histories there were.
  var distinct: Int { digests.count }

  mutating func add(_ history: SimulatedHistory, _ trace: Trace, seed: UInt64) {
    seeds += 1
    steps += trace.events.count
    if history.overlaps { overlapping += 1 }
    digests.insert(trace.digest)
    last = trace.digest
    digest = (digest ^ trace.digest) &* 0x9E37_79B9_7F4A_7C15
    digest ^= digest >> 31
    if !history.problems.isEmpty { fail(history.problems, seed: seed, trace) }
  }

  mutating func fail(_ problems: [String], seed: UInt64, _ trace: Trace) {
    failing += 1
    guard failure == nil else { return }
    failure = """
      \(scenario) fails with seed \(seed); to repeat it alone: STRESS_SEED=\(seed) STRESS_SEEDS=1
      \(problems.joined(separator: "\n"))
      \(trace)
      """
  }

  /// Prints the summary, and expects that no history has failed.
  func expectSuccess(at location: SourceLocation = #_sourceLocation) {
    let overlap = seeds == 0 ? 0 : Double(overlapping) / Double(seeds)
    print(
      "schedules of \(scenario): \(seeds) seeds, \(distinct) distinct, \((overlap * 1_000).rounded() / 10)% overlapping,",
      "\(steps) steps, digest \(String(digest, radix: 16))\(failing == 0 ? "" : ", \(failing) failing")")
    if let failure { Issue.record(Comment(rawValue: failure), sourceLocation: location) }
    // The share says nothing about few histories.
    if seeds >= 150 { #expect(overlap >= 0.9, "too few histories overlap", sourceLocation: location) }
  }
}
