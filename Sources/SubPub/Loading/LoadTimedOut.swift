/// A load took longer than it may. Published as the load's error when no attempt is left.
public struct LoadTimedOut: Error, Hashable, Sendable, CustomStringConvertible {
  /// How long it was allowed to take.
  public let timeout: Duration

  /// A load that was allowed to take so long.
  public init(timeout: Duration) { self.timeout = timeout }

  /// What happened, in words.
  public var description: String { "the load took longer than \(timeout)" }
}
