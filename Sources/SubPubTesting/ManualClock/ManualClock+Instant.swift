extension ManualClock {
  /// A point in the time of a manual clock. Instants of different clocks have nothing to do with each other.
  public struct Instant: InstantProtocol {
    /// How far the clock had been advanced since it was made.
    public let sinceStart: Duration

    /// The instant that is so much later, or earlier if the duration is negative.
    public func advanced(by duration: Duration) -> Instant { Instant(sinceStart: sinceStart + duration) }

    /// The time from here to the other; negative if the other is earlier.
    public func duration(to other: Instant) -> Duration { other.sinceStart - sinceStart }

    /// Whether the first is earlier.
    public static func < (left: Instant, right: Instant) -> Bool { left.sinceStart < right.sinceStart }
  }
}

extension ManualClock.Instant: CustomStringConvertible {
  /// The time since the clock's start: `1.5 seconds`.
  public var description: String { sinceStart.description }
}
