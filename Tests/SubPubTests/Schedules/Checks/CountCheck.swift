import SubPub

/// Statistics say what happened, bounds hold (rule 2.04), and who is still there has the last state (1.03).
struct CountCheck {
  private(set) var problems: [String] = []

  init(_ member: SimulatedSubscription, newest: UInt64?) {
    guard let statistics = member.subscription?.statistics ?? member.counts else { return }
    if let limit = member.buffering.limit, statistics.highWater > limit {
      problems.append("2.04: \(statistics.highWater) waited for \(member.number), of \(limit)")
    }
    if member.buffering == .unbounded, member.subscription?.isActive == true, statistics.skipped > 0 {
      problems.append("2.01: the unbounded \(member.number) has skipped \(statistics.skipped)")
    }
    if member.inbox.members.count == 1, statistics.delivered != member.inbox.deliveries.count {
      problems.append("2.04: \(member.number) counts \(statistics), and got \(member.inbox.deliveries.count)")
    }
    guard member.subscription?.isActive == true, let newest else { return }
    if statistics.pending > 0 || statistics.lastVersion != newest {
      problems.append("1.03: at rest, version \(newest), \(member.number) has \(statistics)")
    }
    if member.inbox.members.count == 1, member.inbox.deliveries.last?.version != newest {
      problems.append("1.03: the last version that \(member.number) got is not \(newest)")
    }
  }
}

extension BufferingPolicy {
  fileprivate var limit: Int? {
    switch self {
    case .unbounded: nil
    case .latest: 1
    case .newest(let count): count
    }
  }
}
