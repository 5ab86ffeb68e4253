/// An error whose description and death are foreign code.
final class StruckError: Error, CustomStringConvertible {
  private let intrusion: Intrusion

  init(_ intrusion: Intrusion) { self.intrusion = intrusion }

  var description: String {
    intrusion.strike()
    return "struck error"
  }

  deinit { intrusion.strike() }
}
