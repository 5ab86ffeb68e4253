/// What was found. Apart from what is looked at, so that a check may read the one while it notes the other.
final class Findings {
  private(set) var violations: [Violation] = []
  private static let most = 20

  func add(_ rule: String, _ text: () -> String) {
    if violations.count < Self.most { violations.append(Violation(rule: rule, text: text())) }
  }
}
