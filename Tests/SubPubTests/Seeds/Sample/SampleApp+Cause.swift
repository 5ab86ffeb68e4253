extension SampleApp {
  /// What brought a transition about.
  enum Cause: String, Hashable, Sendable {
    /// A screen is about to look.
    case appear
    case pull
    /// A pull that must not get what was asked for before it.
    case force
    case nextPage
    /// The waits of a screen are cancelled.
    case leave
    case logout
    /// The manager is let go of.
    case release
    case answer
    /// The last attempt was refused.
    case refusal
    /// The last attempt took too long.
    case timeout

    /// What the code does that runs now. A load's own task has none: it doesn't inherit.
    @TaskLocal static var current: Cause?
  }
}
