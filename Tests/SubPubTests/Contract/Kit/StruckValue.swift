/// A value whose `==` and description are foreign code.
struct StruckValue: Equatable, Sendable, CustomStringConvertible {
  private let intrusion: Intrusion

  init(_ intrusion: Intrusion) { self.intrusion = intrusion }

  static func == (left: StruckValue, right: StruckValue) -> Bool {
    left.intrusion.strike()
    return true
  }

  var description: String {
    intrusion.strike()
    return "struck value"
  }
}
