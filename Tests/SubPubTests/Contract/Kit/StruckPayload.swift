/// Its death is foreign code.
final class StruckPayload: Sendable {
  private let intrusion: Intrusion

  init(_ intrusion: Intrusion) { self.intrusion = intrusion }

  deinit { intrusion.strike() }
}
