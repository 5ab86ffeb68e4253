import SubPub

/// A state that was overtaken before its gate is skipped (rule 2.04).
struct BoundCheck {
  private(set) var problems: [String] = []

  /// `writes` are the steps at which transitions returned.
  init(_ member: SimulatedSubscription, writes: [Int], trace: Trace) {
    guard let capacity = member.buffering.newest, member.inbox.members.count == 1 else { return }
    for delivery in member.inbox.deliveries {
      // The gate was passed after the last thing that the same strand did.
      let before = trace.events[..<delivery.begin].lastIndex { $0.strand == delivery.strand } ?? 0
      let newest = writes.count { $0 < before }
      if Int(delivery.version) + capacity <= newest {
        problems.append("2.04: version \(delivery.version) to \(member.number), when \(newest) had been published")
      }
    }
  }
}

extension BufferingPolicy {
  fileprivate var newest: Int? {
    switch self {
    case .latest: 1
    case .newest(let count): count
    case .unbounded: nil
    }
  }
}
