import SubPub

/// What was done and found.
struct Figures: Sendable {
  var rounds = 0
  var operations = 0
  var deliveries = 0
  var histories = 0
  var violations = 0
  private(set) var venues: [String: Int] = [:]
  private(set) var faces: [String: Int] = [:]
  private(set) var policies: [String: Int] = [:]
  private(set) var outcomes: [CancelOutcome: Int] = [:]

  mutating func add(_ result: RoundResult, violations found: Int) {
    rounds += 1
    violations += found
    operations += result.operations
    for course in result.courses {
      operations += course.calls.count
      for history in course.histories { add(history) }
    }
    for course in result.loads {
      operations += course.operations
      deliveries += course.publications.count
      histories += 1
    }
  }

  private mutating func add(_ history: History) {
    let count = history.deliveries.count
    histories += 1
    operations += 1 + history.cancels.count + history.readings.count
    deliveries += count
    venues["\(history.venue)", default: 0] += count
    faces["\(history.face)", default: 0] += count
    policies[history.policy.name, default: 0] += count
    for cancel in history.cancels {
      if case .outcome(let outcome) = cancel.answer { outcomes[outcome, default: 0] += 1 }
    }
  }

  mutating func add(_ other: Figures) {
    rounds += other.rounds
    operations += other.operations
    deliveries += other.deliveries
    histories += other.histories
    violations += other.violations
    venues.merge(other.venues, uniquingKeysWith: +)
    faces.merge(other.faces, uniquingKeysWith: +)
    policies.merge(other.policies, uniquingKeysWith: +)
    outcomes.merge(other.outcomes, uniquingKeysWith: +)
  }
}

extension Figures: CustomStringConvertible {
  var description: String {
    "\(operations) operations, \(deliveries) deliveries, \(histories) histories checked, \(violations) violations"
  }

  /// The share of each context, face and policy, and how often each outcome came.
  var table: String {
    let outcomes = [CancelOutcome.quiescent, .inFlight, .reentrant, .alreadyCancelled].map {
      "\($0) \(self.outcomes[$0, default: 0])"
    }
    return [
      "contexts: \(shares(venues))", "faces:    \(shares(faces))", "policies: \(shares(policies))",
      "cancels:  \(outcomes.joined(separator: ", "))",
    ].joined(separator: "\n")
  }

  /// The least share in percent that a context, face or policy has, and the least that an outcome occurred.
  var least: (share: Double, outcome: Int) {
    let counts = [(venues, Venue.allCases.count), (faces, Face.allCases.count), (policies, 4)].map { counts, kinds in
      counts.count < kinds ? 0 : counts.values.min() ?? 0
    }
    let share = 100 * Double(counts.min() ?? 0) / Double(max(1, deliveries))
    return (share, outcomes.count < 4 ? 0 : outcomes.values.min() ?? 0)
  }

  private func shares(_ counts: [String: Int]) -> String {
    counts.sorted { $0.value > $1.value }
      .map { name, count in "\(name) \(tenths(count))%" }
      .joined(separator: ", ")
  }

  private func tenths(_ count: Int) -> String {
    let tenths = count * 1_000 / max(1, deliveries)
    return "\(tenths / 10).\(tenths % 10)"
  }
}
