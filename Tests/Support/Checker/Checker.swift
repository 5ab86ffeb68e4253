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
    if let (found, living) = history.count {
      expect(living.contains(found), "2.05", "counts \(found) subscribers, of \(living) living")
    }
  }

  /// Subscribers and actors that die (2.05).
  private func checkLife(_ subscription: SubscriptionHistory) {
    let last = subscription.deliveries.last?.end ?? 0
    expect(last <= subscription.death ?? .max, "2.05", "a delivery after the death", of: subscription)
    expect(last <= subscription.contextDeath ?? .max, "2.05", "a delivery to a dead actor", of: subscription)
    let isHeld = subscription.isReleased && subscription.death == nil
    expect(!isHeld, "2.05", "something holds the subscriber", of: subscription)
  }

  @inline(__always)
  func expect(
    _ holds: Bool, _ rule: String, _ text: @autoclosure () -> String,
    of subscription: @autoclosure () -> SubscriptionHistory? = nil
  ) {
    if !holds { findings.add(rule, text() + (subscription().map { ", of \($0.name)" } ?? "")) }
  }
}

/// A rule of the contract that was broken, and how.
package struct Violation: Hashable, Sendable, CustomStringConvertible {
  package let rule: String
  package let text: String
  package var description: String { "rule \(rule): \(text)" }
}

/// The violations that were found, on any thread; the first are enough.
package final class Findings: Sendable {
  private let all = Guarded<[Violation]>([])

  package init() {}

  package var violations: [Violation] { all.value }

  package func add(_ rule: String, _ text: String) {
    all.with { if $0.count < 20 { $0.append(Violation(rule: rule, text: text)) } }
  }

  @inline(__always)
  package func expect(_ holds: Bool, _ rule: String, _ text: @autoclosure () -> String) {
    if !holds { add(rule, text()) }
  }
}
