import SubPub

extension BadHistory {
  private static let good = Counts(delivered: 3, skipped: 0, pending: 0, highWater: 1, lastVersion: 2)

  private static func spoiled(_ body: (inout Counts) -> Void) -> Counts {
    var counts = good
    body(&counts)
    return counts
  }

  /// Bounds and statistics.
  static let counts: [BadHistory] = [
    BadHistory(
      rule: "2.04", name: "something pending at rest", twin: { $0.settled = good },
      spoil: { $0.settled = spoiled { $0.pending = 1 } }),
    BadHistory(rule: "2.04", name: "fewer counted than delivered") { $0.settled = spoiled { $0.delivered = 2 } },
    BadHistory(rule: "2.04", name: "more put in than published") {
      $0.policy = .latest
      $0.settled = spoiled { $0.skipped = 1 }
    },
    BadHistory(rule: "2.01", name: "skipped without a bound") { $0.settled = spoiled { $0.skipped = 1 } },
    BadHistory(rule: "2.04", name: "counts another last version") { $0.settled = spoiled { $0.lastVersion = 1 } },
    BadHistory(
      rule: "2.04", name: "pending after the end", twin: { $0.closing = good },
      spoil: { $0.closing = spoiled { $0.pending = 1 } }),
    BadHistory(rule: "2.04", name: "counts wrongly after the end") { $0.closing = spoiled { $0.delivered = 4 } },
    BadHistory(
      rule: "2.04", name: "more pending than the bound",
      twin: {
        $0.policy = .newest(2)
        $0.readings = [spoiled { ($0.pending, $0.highWater) = (2, 2) }]
      },
      spoil: {
        $0.policy = .newest(2)
        $0.readings = [spoiled { ($0.pending, $0.highWater) = (3, 2) }]
      }),
    BadHistory(rule: "2.04", name: "more ever pending than the bound") {
      $0.policy = .newest(2)
      $0.readings = [spoiled { $0.highWater = 3 }]
    },
    BadHistory(
      rule: "2.04", name: "the wrong end gave way",
      twin: {
        ($0.isHeld, $0.policy) = (true, .newest(2))
        $0.deliveries.removeFirst()
      },
      spoil: {
        ($0.isHeld, $0.policy) = (true, .newest(2))
        $0.deliveries.remove(at: 1)
      }),
  ]
}
