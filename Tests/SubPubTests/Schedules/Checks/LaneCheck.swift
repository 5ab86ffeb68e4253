/// What shares a lane is served one after the other, state by state, in the order of subscribing (rule 2.07).
struct LaneCheck {
  private(set) var problems: [String] = []

  init(_ members: [SimulatedSubscription]) {
    // Of replaced subscriptions of one object nobody knows which delivery is whose.
    let members = members.filter { $0.context.lane != nil && $0.inbox.members.count == 1 }
    for lane in Set(members.compactMap(\.context.lane)).sorted() {
      let visits = members.filter { $0.context.lane == lane }.flatMap { member in
        member.inbox.deliveries.map { (member: member, delivery: $0) }
      }.sorted { $0.delivery.begin < $1.delivery.begin }
      for (before, after) in zip(visits, visits.dropFirst()) {
        if before.delivery.end.map({ $0 > after.delivery.begin }) ?? true {
          problems.append("2.08: two deliveries of lane \(lane) at once, at \(after.delivery.begin)")
        }
        let (first, second) = (before.delivery.version, after.delivery.version)
        if first > second || first == second && !before.member.mayComeBefore(after.member) {
          problems.append("2.07: lane \(lane) is out of order, at \(after.delivery.begin)")
        }
      }
    }
  }
}

extension SimulatedSubscription {
  /// Whether it may have subscribed before the other.
  fileprivate func mayComeBefore(_ other: SimulatedSubscription) -> Bool {
    self !== other && subscribedFrom <= other.subscribedUpTo
  }
}
