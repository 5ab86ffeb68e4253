/// A manager's cache could not do what it was asked for.
public struct CacheFailure: Error, CustomStringConvertible {
  /// What a manager asks of its cache.
  public enum Operation: Hashable, Sendable { case read, write, clear }

  /// What it was asked for.
  public let operation: Operation
  /// What the cache threw.
  public let reason: any Error

  /// What could not be done, and why, in words.
  public var description: String { "the cache could not \(operation): \(reason)" }
}
