/// The failure of an operation of a manager's cache.
public struct CacheFailure: Error, CustomStringConvertible {
  /// An operation that a manager requests of its cache.
  public enum Operation: Hashable, Sendable {
    /// Reading the value.
    case read
    /// Writing a value.
    case write
    /// Removing the value.
    case clear
  }

  /// The operation that failed.
  public let operation: Operation
  /// The error that the cache has thrown.
  public let reason: any Error

  /// Creates the failure of an operation.
  ///
  /// - Parameters:
  ///   - operation: The operation that failed.
  ///   - reason: The error that the cache has thrown.
  public init(operation: Operation, reason: any Error) {
    self.operation = operation
    self.reason = reason
  }

  /// The operation and the reason, in words, on one line.
  ///
  /// If it is long, only its beginning: twice as much as the errors of caches in files have.
  public var description: String {
    "the cache could not \(operation): \("\(reason)".shortened(to: 8 << 10).onOneLine.shortened(to: 8 << 10))"
  }
}
