import Synchronization

/// Identifies one publisher for as long as the process runs. No two publishers ever have the same one.
public struct PublisherID: Hashable, Sendable, CustomStringConvertible {
  /// The label in a box, which takes one word in every publication, and no reference count without a label.
  private final class Label: Sendable {
    let text: String
    init(_ text: String) { self.text = text }
  }

  private let number: UInt64
  private let box: Label?

  private static let last = Atomic<UInt64>(0)

  init(label: String?) {
    // Only uniqueness matters, and not the order among threads.
    number = Self.last.add(1, ordering: .relaxed).newValue
    box = label.map(Label.init)
  }

  /// The publisher's label.
  var label: String? { box?.text }

  /// Whether both identify the same publisher.
  public static func == (left: PublisherID, right: PublisherID) -> Bool { left.number == right.number }

  /// Hashes the identity, not the label.
  public func hash(into hasher: inout Hasher) { hasher.combine(number) }

  /// The publisher's label, or `publisher #` and a number.
  public var description: String { label ?? "publisher #\(number)" }
}

/// The error of ``Publisher/value()`` if the publisher is released before it has a value.
public struct PublisherEnded: Error, Hashable, Sendable, CustomStringConvertible {
  /// The publisher that has ended.
  public let source: PublisherID

  /// Creates the error, for tests of code that has to expect it.
  public init(source: PublisherID) { self.source = source }

  /// What has ended, in words.
  public var description: String { "\(source) was released before it had a value" }
}
