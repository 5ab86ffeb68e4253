import Foundation

/// One history that a seed decides.
protocol SimulatedHistory: AnyObject, SendableMetatype {
  /// Runs and checks it; returns false if it never ends.
  func play() -> Bool
  var problems: [String] { get }
  /// Whether operations of different clients overlap.
  var overlaps: Bool { get }
  var hasJob: Bool { get }
  /// Runs one job on the calling strand.
  func runJob()
  /// Releases everything.
  func end()
}

/// Runs histories with many seeds, on threads of its own.
final class Campaign<History: SimulatedHistory>: @unchecked Sendable {
  private let name: String
  private let make: (Scheduler) -> History
  private let decider = SeededDecider()
  private let scheduler: Scheduler
  /// Accessed by the strand that has the turn or, while no strand has it, by the campaign's own thread.
  private var history: History?

  private init(_ name: String, workers: Int, _ make: @escaping (Scheduler) -> History) {
    self.name = name
    self.make = make
    scheduler = Scheduler(decider, clients: Scenario.clients, workers: workers)
  }

  /// Runs a history for each seed.
  static func run(
    _ name: String, _ seeds: SeedRange, workers: Int = Scenario.workers,
    _ make: @escaping @Sendable (Scheduler) -> History
  ) async -> Report {
    await Scheduler.onThread { Campaign(name, workers: workers, make).report(seeds) }
  }

  private func report(_ seeds: SeedRange) -> Report {
    scheduler.employ {
      self.history?.runJob()
    } when: {
      self.history?.hasJob ?? false
    }
    var report = Report(name)
    for seed in seeds.seeds {
      seeds.announce(seed, of: name)
      decider.seed(seed)
      scheduler.reset()
      let history = make(scheduler)
      self.history = history
      guard history.play() else {
        // The thread of the blocked strand is lost, so no further seed can be tried.
        report.fail(["1.04: blocked forever"], seed: seed, scheduler.trace)
        return report
      }
      report.add(history, scheduler.trace, seed: seed)
      history.end()
    }
    history = nil
    scheduler.end()
    return report
  }
}

extension Campaign<Simulation> {
  static func run(_ scenario: Scenario, _ seeds: SeedRange) async -> Report {
    await run(scenario.name, seeds) { Simulation($0, playing: scenario.setUp) }
  }
}

/// The seeds to try: `STRESS_SEEDS` of them, from `STRESS_SEED` on.
///
/// With `STRESS_PRINT=1` each is printed before it is tried, so that it is known if it crashes the process.
struct SeedRange: Sendable {
  let first: UInt64
  let count: Int
  private let isPrinting: Bool

  init(first: UInt64, count: Int, isPrinting: Bool = false) {
    self.isPrinting = isPrinting
    self.first = first
    self.count = count
  }

  /// This many times as many seeds.
  func times(_ factor: Int) -> SeedRange { SeedRange(first: first, count: count * factor, isPrinting: isPrinting) }

  init(_ environment: [String: String] = ProcessInfo.processInfo.environment) {
    #if DEBUG
      let usual = 500
    #else
      let usual = 2_000
    #endif
    first = environment["STRESS_SEED"].flatMap(UInt64.init) ?? 1
    isPrinting = environment["STRESS_PRINT"] == "1"
    count = environment["STRESS_SEEDS"].flatMap(Int.init) ?? usual
  }

  var seeds: some Sequence<UInt64> { (0..<UInt64(count)).lazy.map { [first] in first &+ $0 } }

  func announce(_ seed: UInt64, of scenario: String) {
    if isPrinting { FileHandle.standardError.write(Data("\(scenario): seed \(seed)\n".utf8)) }
  }
}
