import Synchronization

/// Names one publisher for as long as the process lives; it is never given twice.
///
/// Prints the publisher's label, if it has one.
public struct PublisherID: Hashable, Sendable, CustomStringConvertible {
  /// The label in a box: one word in every publication, and nothing to count for publishers without one.
  final class Label: Sendable {
    let text: String
    init(_ text: String) { self.text = text }
  }

  let number: UInt64
  private let box: Label?

  private static let last = Atomic<UInt64>(0)

  init(label: String?) {
    // Only uniqueness matters, so the order of the additions among threads doesn't.
    number = Self.last.add(1, ordering: .relaxed).newValue
    box = label.map(Label.init)
  }

  /// The publisher's label.
  var label: String? { box?.text }

  /// Whether both name one publisher.
  public static func == (left: PublisherID, right: PublisherID) -> Bool { left.number == right.number }

  /// Hashes the publisher, and not its label.
  public func hash(into hasher: inout Hasher) { hasher.combine(number) }

  /// The label, or `publisher #` and a number.
  public var description: String { label ?? "publisher #\(number)" }
}
