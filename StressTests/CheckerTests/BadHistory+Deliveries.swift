import SubPub
import Support

extension BadHistory {
  private static func late(_ version: UInt32) -> Delivery { Example.delivery(version, at: 400) }
  private static func without(_ index: Int) -> Change { { $0.deliveries.remove(at: index) } }

  /// Order, overlap, context.
  static let deliveries: [BadHistory] = [
    BadHistory("1.02", "backwards", spoil: without(1), { $0.deliveries.append(late(1)) }),
    BadHistory("1.02", "twice", spoil: { $0.deliveries.append(late(2)) }),
    BadHistory("1.02", "a gap without a bound", twin: policy(.latest), without(1), spoil: without(1)),
    BadHistory("1.02", "another value", spoil: { $0.deliveries[1].number = Number.make(caller: 1, count: 2) }),
    BadHistory("1.02", "another phase", spoil: { $0.deliveries[1].phase = 3 }),
    BadHistory(
      "1.02", "a value that was never published", twin: { $0.deliveries[1].version = Delivery.unknownVersion },
      spoil: {
        $0.deliveries[1].version = Delivery.unknownVersion
        $0.deliveries[1].number = Number.make(caller: 5, count: 5)
      }),
    BadHistory("1.01", "a version above the last", spoil: { $0.deliveries[2].version = 3 }),
    BadHistory("1.03", "without the last state", twin: { $0.isLasting = false }, without(2), spoil: without(2)),
    BadHistory("1.03", "nothing at all", spoil: { $0.deliveries = [] }),
    BadHistory(
      "2.01", "begins after the current state", twin: { $0.replay = 0...1 }, without(0), spoil: without(0)),
    BadHistory(
      "2.01", "begins before the current state", twin: { $0.replay = 1...1 }, without(0),
      spoil: { $0.replay = 1...1 }),
    BadHistory(
      "2.02", "one inside the other", twin: { $0.deliveries[0].end = 150 }, spoil: { $0.deliveries[0].end = 151 }),
    BadHistory("2.02", "one met the other", spoil: { $0.overlaps = 1 }),
    BadHistory("2.03", "on another context", spoil: { $0.deliveries[1].isInPlace = false }),
    BadHistory(
      "2.03", "immediate, but not on a publishing thread", twin: { $0.deliveries[1].isOnTestThread = false },
      spoil: { $0.context = .immediate }, { $0.deliveries[1].isOnTestThread = false }),
    BadHistory(
      "2.06", "a delivery of the replacement inside one of its predecessor", twin: replaced(2),
      spoil: replaced(2), { $0.overlaps = 1 }),
    BadHistory("2.06", "more breaks than replacements", spoil: replaced(2, 2)),
    BadHistory("1.02", "a replacement goes back", spoil: replaced(1)),
    BadHistory("2.09", "before it was published", spoil: { $0.deliveries[1].begin = 99 }),
    BadHistory(
      "6.03", "a sequence without the last state", twin: { $0.interface = .states },
      spoil: { $0.interface = .states }, without(2)),
  ]

  private static func counts(_ change: (inout Counts) -> Void = { _ in }) -> Counts {
    var counts = Counts(delivered: 3, highWater: 1, lastVersion: 2)
    change(&counts)
    return counts
  }

  /// Bounds and statistics.
  static let counts: [BadHistory] = [
    BadHistory(
      "2.04", "a state pending at rest", twin: { $0.settled = counts() },
      spoil: { $0.settled = counts { $0.pending = 1 } }),
    BadHistory("2.04", "fewer counted than delivered", spoil: { $0.settled = counts { $0.delivered = 2 } }),
    BadHistory(
      "2.04", "more counted than published", spoil: policy(.latest), { $0.settled = counts { $0.skipped = 1 } }),
    BadHistory("2.01", "skipped without a bound", spoil: { $0.settled = counts { $0.skipped = 1 } }),
    BadHistory("2.04", "counts another last version", spoil: { $0.settled = counts { $0.lastVersion = 1 } }),
    BadHistory(
      "2.04", "pending after the end", twin: { $0.closing = counts() },
      spoil: { $0.closing = counts { $0.pending = 1 } }),
    BadHistory(
      "2.04", "counts wrongly after the end",
      twin: { $0.closing = counts { $0.delivered = 4 } }, { $0.sharesDeliveries = true },
      spoil: { $0.closing = counts { $0.delivered = 4 } }),
    BadHistory(
      "2.04", "more pending than the bound",
      twin: policy(.newest(2)), { $0.readings = [counts { ($0.pending, $0.highWater) = (2, 2) }] },
      spoil: policy(.newest(2)), { $0.readings = [counts { ($0.pending, $0.highWater) = (3, 2) }] }),
    BadHistory(
      "2.04", "more ever pending than the bound",
      spoil: policy(.newest(2)), { $0.readings = [counts { $0.highWater = 3 }] }),
    BadHistory(
      "2.04", "the newer state was skipped", twin: policy(.newest(2)), { $0.isHeld = true }, without(0),
      spoil: policy(.newest(2)), { $0.isHeld = true }, without(1)),
  ]
}
