/// Subscribers and actors that die (2.05).
extension Checker {
  func checkLife(_ history: History) {
    if let death = history.death, let last = history.deliveries.last {
      expect(last.end <= death, "2.05", "delivered to the dead, of \(history.name)")
    }
    if let death = history.contextDeath, let last = history.deliveries.last {
      expect(last.end <= death, "2.05", "delivered to a dead actor, of \(history.name)")
    }
    if history.isReleased { expect(history.death != nil, "2.05", "somebody holds the subscriber of \(history.name)") }
  }
}
