/// One call of a loader. Its number is its index.
struct LoaderCall: Hashable, Sendable {
  enum Outcome: Sendable { case open, answered, refused, cancelled }

  var page = 0
  /// The publisher's version when it began, or an earlier one.
  let version: UInt64
  let begin: UInt64
  var end: UInt64 = .max
  var outcome = Outcome.open
}
