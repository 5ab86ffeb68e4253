/// Decides from what was recorded of one publisher which rules were broken.
///
/// It knows nothing of how the library works, only stamps, versions, threads and outcomes. They come from real threads
/// or from a simulation, whose stamps are steps.
///
/// A recorded delivery lies inside the real one, which begins at the gate and ends when the subscriber is released. So
/// "this was recorded after that moment" proves a violation, and the opposite proves nothing.
package struct Checker {
  var history: History
  var states: AcceptedStates
  private let findings = Findings()

  package static func check(_ history: consuming History) -> [Violation] {
    var checker = Checker(history)
    checker.checkAll()
    return checker.findings.violations
  }

  private init(_ history: History) {
    self.history = history
    states = AcceptedStates(upTo: history.finalVersion ?? UInt32(history.calls.count))
  }

  private mutating func checkAll() {
    learnStates()
    states.finish(history.calls)
    resolveVersions()
    checkCalls()
    if history.hasUniqueValues { checkLoadStates() }
    for subscription in history.subscriptions {
      checkDeliveries(subscription)
      checkBegin(subscription)
      checkEnd(subscription)
      checkCounts(subscription)
      checkCancels(subscription)
      checkLife(subscription)
    }
    checkLanes()
    checkDrains()
    if let count = history.count {
      expect(
        count.living.contains(count.found), "2.05", "counts \(count.found) subscribers, of \(count.living) living")
    }
  }

  /// Subscribers and actors that die (2.05).
  private func checkLife(_ subscription: SubscriptionHistory) {
    if let last = subscription.deliveries.last?.end {
      expect(last <= subscription.death ?? .max, "2.05", "a delivery after the death of \(subscription.name)")
      expect(last <= subscription.contextDeath ?? .max, "2.05", "a delivery to a dead actor, of \(subscription.name)")
    }
    if subscription.isReleased {
      expect(subscription.death != nil, "2.05", "something holds the subscriber of \(subscription.name)")
    }
  }

  @inline(__always)
  func expect(_ holds: Bool, _ rule: String, _ text: @autoclosure () -> String) {
    if !holds { findings.add(rule, text) }
  }
}

/// A rule of the contract that was broken, and how.
package struct Violation: Sendable, CustomStringConvertible {
  package let rule: String
  package let text: String

  package init(rule: String, text: String) { (self.rule, self.text) = (rule, text) }

  package var description: String { "rule \(rule): \(text)" }
}

/// The violations so far; an object, so that a check may read the history while it adds one.
package final class Findings {
  package private(set) var violations: [Violation] = []
  private static let most = 20

  package init() {}

  package func add(_ rule: String, _ text: () -> String) {
    if violations.count < Self.most { violations.append(Violation(rule: rule, text: text())) }
  }
}
