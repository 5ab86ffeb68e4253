import SubPub

/// What the subscriptions of one lane share: one delivery at a time, in the order of subscribing (2.07, 4.01).
extension Checker {
  private typealias Visit = (delivery: Delivery, subscription: Int)

  /// A lane is a context and a buffering policy.
  private struct Lane: Hashable {
    let context: Int
    let policy: BufferingPolicy
  }

  func checkLanes() {
    let shared = history.subscriptions.indices.filter { history.subscriptions[$0].lane != nil }
    let lanes = Dictionary(grouping: shared) { index in
      let subscription = history.subscriptions[index]
      return Lane(context: subscription.lane ?? 0, policy: subscription.policy)
    }
    for members in lanes.values where members.count > 1 { checkLane(members) }
  }

  private func checkLane(_ members: [Int]) {
    var rounds = [[Visit]](repeating: [], count: states.numbers.count)
    for index in members {
      for delivery in history.subscriptions[index].deliveries where delivery.version <= states.last {
        rounds[Int(delivery.version)].append((delivery, index))
      }
    }
    var roundEnd: UInt64 = 0
    for visits in rounds where !visits.isEmpty {
      let visits = visits.sorted { $0.delivery.begin < $1.delivery.begin }
      let first = visits[0].delivery
      expect(
        first.begin >= roundEnd, "4.01", "version \(first.version) began inside an earlier round",
        of: history.subscriptions[visits[0].subscription])
      roundEnd = max(roundEnd, checkRound(visits))
    }
  }

  /// Checks the deliveries of one state, and returns the end of the last one.
  private func checkRound(_ visits: [Visit]) -> UInt64 {
    var (end, latestJoining) = (UInt64(0), UInt64(0))
    for (delivery, index) in visits {
      let subscription = history.subscriptions[index]
      let version = delivery.version
      expect(delivery.begin >= end, "2.07", "version \(version) overlaps another of the lane", of: subscription)
      // One that subscribed later, without a doubt, was visited before it.
      let isInOrder = latestJoining <= subscription.joining.end
      expect(isInOrder, "2.07", "version \(version) is out of order", of: subscription)
      end = max(end, delivery.end)
      latestJoining = max(latestJoining, subscription.joining.begin)
    }
    return end
  }
}
