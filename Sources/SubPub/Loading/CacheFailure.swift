/// A manager's cache could not do what it was asked for.
public struct CacheFailure: Error, CustomStringConvertible {
  /// What a manager asks of its cache.
  public enum Operation: Hashable, Sendable { case read, write, clear }

  /// What it was asked for.
  public let operation: Operation
  /// What the cache threw.
  public let reason: any Error

  /// A failure of that operation, for the reason that the cache gave.
  public init(operation: Operation, reason: any Error) {
    self.operation = operation
    self.reason = reason
  }

  /// What could not be done, and why, in words.
  public var description: String { "the cache could not \(operation): \(reason)" }
}
