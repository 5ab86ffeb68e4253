/// Thrown by `Publisher.value()` when the publisher was released before it had a value.
public struct PublisherEnded: Error, Hashable, Sendable, CustomStringConvertible {
  /// The publisher that ended.
  public let source: PublisherID

  /// For tests of code that has to expect it.
  public init(source: PublisherID) { self.source = source }

  /// What ended, in words.
  public var description: String { "\(source) was released before it had a value" }
}
