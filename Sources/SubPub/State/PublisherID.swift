import Synchronization

/// Identifies one publisher for the lifetime of the process.
///
/// No two publishers ever have equal identifiers, even if one is created after the other was released.
public struct PublisherID: Hashable, Sendable, CustomStringConvertible {
  /// The label in a box: one word in each publication, and no reference counting without a label.
  private final class Label: Sendable {
    let text: String
    init(_ text: String) { self.text = text }
  }

  let number: UInt64
  private let box: Label?

  private static let last = Atomic<UInt64>(0)

  init(label: String?) {
    // Only uniqueness matters, so the order among threads doesn't.
    number = Self.last.add(1, ordering: .relaxed).newValue
    box = label.map(Label.init)
  }

  /// The publisher's label, if it has one.
  var label: String? { box?.text }

  /// Returns whether both identify the same publisher.
  public static func == (left: PublisherID, right: PublisherID) -> Bool { left.number == right.number }

  /// Hashes the identity; the label has no influence.
  public func hash(into hasher: inout Hasher) { hasher.combine(number) }

  /// The publisher's label on one line, or `publisher #` and a number without one.
  public var description: String { label?.onOneLine ?? "publisher #\(number)" }
}

/// The error of a call that a publisher can't serve, because it was finished or released.
///
/// ``StatePublisher/value()`` throws it, for example, if the publisher ends before it has a value.
public struct PublisherEnded: Error, Hashable, Sendable, CustomStringConvertible {
  /// The publisher that has ended.
  public let source: PublisherID

  /// Creates the error, for tests of code that handles it.
  ///
  /// - Parameter source: The publisher that has ended.
  public init(source: PublisherID) { self.source = source }

  /// The name of the publisher and what happened to it.
  public var description: String { "\(source) has ended" }
}
