/// What the subscriptions of one lane share: the order of joining, and one round after the other (2.07, 4.01).
extension Checker {
  func checkLanes() {
    var lanes: [Int: [Int]] = [:]
    for index in course.histories.indices {
      if let lane = course.histories[index].lane { lanes[lane, default: []].append(index) }
    }
    for members in lanes.values where members.count > 1 {
      let histories = course.histories
      checkLane(
        members.sorted {
          (histories[$0].joiner, histories[$0].order) < (histories[$1].joiner, histories[$1].order)
        })
    }
  }

  private func checkLane(_ members: [Int]) {
    let count = states.numbers.count
    var firstBegin = [UInt64](repeating: .max, count: count)
    var lastEnd = [UInt64](repeating: 0, count: count)
    // The end of the visit before, among those whom one has joined, one after the other.
    var visited = [UInt64](repeating: 0, count: count)
    var joiner: Int?
    for member in members {
      let history = course.histories[member]
      if joiner != history.joiner {
        joiner = history.joiner
        visited = [UInt64](repeating: 0, count: count)
      }
      for delivery in history.deliveries where delivery.version <= states.last {
        let version = Int(delivery.version)
        expect(delivery.begin >= visited[version], "2.07", "version \(version) came out of order, of \(history.name)")
        visited[version] = delivery.end
        firstBegin[version] = min(firstBegin[version], delivery.begin)
        lastEnd[version] = max(lastEnd[version], delivery.end)
      }
    }
    var roundEnd: UInt64 = 0
    for version in 0..<count {
      let name = course.histories[members[0]].name
      expect(firstBegin[version] >= roundEnd, "4.01", "version \(version) began inside an earlier round, by \(name)")
      roundEnd = max(roundEnd, lastEnd[version])
    }
  }
}
