/// Where a watch has joined, and what came of the parts that are gone. Decides only.
struct WatchLedger {
  struct Part {
    let listing: Listing
    let subscription: Subscription
  }

  var parts: [PublisherID: Part] = [:]
  /// Of the parts that are gone.
  private(set) var ended = Subscription.Statistics(delivered: 0, skipped: 0, pending: 0, highWater: 0, lastVersion: nil)
  /// How many parts make it worth while to look for ended ones.
  private var sweepAt = 16

  var isSweepDue: Bool { parts.count > sweepAt }

  /// Takes parts out, unless somebody else has. The caller holds them: nothing is released here.
  mutating func remove(_ counts: [(part: Part, statistics: Subscription.Statistics)]) {
    for (part, statistics) in counts where parts.removeValue(forKey: part.listing.id) != nil {
      ended = ended.adding(statistics)
    }
    sweepAt = 2 * parts.count + 16
  }
}

extension Subscription.Statistics {
  /// The counts of both. Versions belong to publishers, so there is no last one.
  func adding(_ other: Self) -> Self {
    Self(
      delivered: delivered + other.delivered, skipped: skipped + other.skipped, pending: pending + other.pending,
      highWater: max(highWater, other.highWater), lastVersion: nil)
  }
}
