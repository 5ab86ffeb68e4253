/// A summary of the histories of a scenario.
struct Report: Sendable {
  let scenario: String
  private(set) var seeds = 0
  private(set) var steps = 0
  private(set) var overlapping = 0
  /// The digest of all histories in order.
  private(set) var digest: UInt64 = 0
  /// The digest of the last history.
  private(set) var last: UInt64 = 0
  private(set) var failing = 0
  /// The first failure, with all events of its history.
  private(set) var failure: String?
  private var digests: Set<UInt64> = []

  init(_ scenario: String) { self.scenario = scenario }

  /// How many different histories there were.
  var distinct: Int { digests.count }
  var overlap: Double { seeds == 0 ? 0 : Double(overlapping) / Double(seeds) }

  mutating func add(_ history: some SimulatedHistory, _ trace: Trace, seed: UInt64) {
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
}

extension Report: CustomStringConvertible {
  var description: String {
    let share = (overlap * 1_000).rounded() / 10
    let found = failing == 0 ? "" : ", \(failing) failing"
    return "schedules of \(scenario): \(seeds) seeds, \(distinct) distinct, \(share)% overlapping, \(steps) steps, "
      + "digest \(String(digest, radix: 16))\(found)"
  }
}
