import SubPub
import SubPubTesting
import Support

/// A family whose managers threads ask for, hold for a moment, and release.
///
/// A key must never have two managers that are held at the same time (5.19).
final class FamilyChurn: Sendable {
  private struct Holding {
    let manager: ObjectIdentifier
    var holders: Int
  }

  private let family: ManagerFamily<Int, LoadingManager<Int>>
  private let lingers: Bool
  private let holdings = Guarded<[Int: Holding]>([:])
  private let found = Guarded<[Violation]>([])

  init(_ random: inout SeededGenerator) {
    lingers = random.draw(2) == 0
    family = ManagerFamily(lingering: lingers ? .milliseconds(1) : .zero) { key in
      LoadingManager<Int>(label: "\(key)", staleAfter: .zero) { key }
    }
  }

  func act(_ random: inout SeededGenerator) {
    switch random.draw(16) {
    case 0: family.logoutAll()
    case 1: family.refreshAllIfNeeded()
    case 2: _ = family.keys
    default: hold(random.draw(4), random.draw(3))
    }
  }

  private func hold(_ key: Int, _ use: Int) {
    let manager = family[key]
    let others = holdings.with { holdings in
      let others = holdings[key] ?? Holding(manager: ObjectIdentifier(manager), holders: 0)
      holdings[key] = Holding(manager: ObjectIdentifier(manager), holders: others.holders + 1)
      return others
    }
    if others.holders > 0, others.manager != ObjectIdentifier(manager) {
      found.with { $0.append(Violation(rule: "5.19", text: "the key \(key) has two managers at once")) }
    }
    switch use {
    case 0: manager.refreshIfNeeded()
    case 1: manager.invalidate()
    default: manager.set(key)
    }
    holdings.with { $0[key]?.holders -= 1 }
    withExtendedLifetime(manager) {}
  }

  /// Returns what was found, when no thread holds a manager any more.
  func finish() -> [Violation] {
    let left = family.keys
    if !lingers, !left.isEmpty {
      found.with { $0.append(Violation(rule: "5.19", text: "the managers of \(left) live although nobody holds them")) }
    }
    return found.with { $0 }
  }
}
