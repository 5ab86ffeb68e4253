import SubPub

/// What a summary saw.
struct SummaryReport: Sendable, CustomStringConvertible {
  let source: PublisherID
  var looks = 0
  /// How many of them showed a value that differed from the one before.
  var values = 0
  var errors = 0
  var statistics: Subscription.Statistics?

  var description: String {
    "summary of \(source): looks \(looks), different values \(values), errors \(errors)"
  }
}
