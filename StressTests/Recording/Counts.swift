import SubPub

/// A subscription's statistics, as a value that tests can make.
struct Counts: Sendable {
  var delivered: Int
  var skipped: Int
  var pending: Int
  var highWater: Int
  var lastVersion: UInt32?
}

extension Counts {
  init(_ statistics: Subscription.Statistics) {
    self.init(
      delivered: statistics.delivered, skipped: statistics.skipped, pending: statistics.pending,
      highWater: statistics.highWater, lastVersion: statistics.lastVersion.map { UInt32($0) })
  }
}
