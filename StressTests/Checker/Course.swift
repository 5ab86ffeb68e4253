/// All that happened at one publisher in one round.
struct Course: Sendable {
  var histories: [History] = []
  /// Every call that publishes.
  var calls: [Call] = []
  /// The publisher's version when all was over; nil where there is none, as with delegates: then the first history is the
  /// order that all others are held against.
  var finalVersion: UInt32?
  /// Every transition carries a number of its own.
  var isNumbered = true
  /// Publishing was left to hammering threads, so immediate deliveries run on these only.
  var isPublishedByHammers = true
  /// The publisher was released, and what was pending had still to be delivered.
  var isEnded = false
  /// `drain()` was called at that version, and had returned at that moment.
  var drains: [(version: UInt32, span: Span)] = []
  /// How many subscribers the publisher counted at rest, and how many there were: at least those that somebody held,
  /// and at most those that were not known to be dead.
  var count: (found: Int, living: ClosedRange<Int>)?
}
