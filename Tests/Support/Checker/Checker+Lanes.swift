/// What the subscriptions of one lane share: one delivery at a time, in the order of subscribing (2.07, 4.01).
extension Checker {
  private struct Visit {
    var begin: UInt64
    var end: UInt64
    var subscription: Int
  }

  func checkLanes() {
    var lanes: [Int: [Int]] = [:]
    for index in history.subscriptions.indices {
      if let lane = history.subscriptions[index].lane { lanes[lane, default: []].append(index) }
    }
    for members in lanes.values where members.count > 1 { checkLane(members) }
  }

  private func checkLane(_ members: [Int]) {
    var rounds = [[Visit]](repeating: [], count: states.numbers.count)
    for index in members {
      for delivery in history.subscriptions[index].deliveries where delivery.version <= states.last {
        rounds[Int(delivery.version)].append(Visit(begin: delivery.begin, end: delivery.end, subscription: index))
      }
    }
    var roundEnd: UInt64 = 0
    for (version, visits) in rounds.enumerated() where !visits.isEmpty {
      let visits = visits.sorted { $0.begin < $1.begin }
      let name = history.subscriptions[visits[0].subscription].name
      expect(visits[0].begin >= roundEnd, "4.01", "version \(version) began inside an earlier round, by \(name)")
      roundEnd = max(roundEnd, checkRound(visits, version))
    }
  }

  /// Checks the deliveries of one state, and returns the end of the last one.
  private func checkRound(_ visits: [Visit], _ version: Int) -> UInt64 {
    var (end, latestJoining) = (visits[0].begin, UInt64(0))
    for visit in visits {
      let subscription = history.subscriptions[visit.subscription]
      expect(visit.begin >= end, "2.07", "version \(version) overlaps another of the lane, of \(subscription.name)")
      // One that subscribed later, without a doubt, was visited before it.
      expect(
        latestJoining <= subscription.joining.end, "2.07", "version \(version) is out of order, of \(subscription.name)"
      )
      end = max(end, visit.end)
      latestJoining = max(latestJoining, subscription.joining.begin)
    }
    return end
  }
}
