/// One call that publishes.
struct Call: Sendable {
  var span: Span
  /// The number that it has published; 0 if it carried none of its own.
  var number: UInt32
  /// False if the call was to change nothing, and said so.
  var isTransition: Bool
}
