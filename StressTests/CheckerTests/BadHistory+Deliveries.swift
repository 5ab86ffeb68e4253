import SubPub

extension BadHistory {
  /// Order, overlap, context.
  static let deliveries: [BadHistory] = [
    BadHistory(rule: "1.02", name: "backwards") { $0.deliveries = [0, 2].map { HandMade.delivery($0) } + [late(1)] },
    BadHistory(rule: "1.02", name: "twice") { $0.deliveries.append(late(2)) },
    BadHistory(
      rule: "1.02", name: "a gap without a bound",
      twin: {
        $0.policy = .latest
        $0.deliveries.remove(at: 1)
      }, spoil: { $0.deliveries.remove(at: 1) }),
    BadHistory(rule: "1.02", name: "another value") { $0.deliveries[1].number = Number.make(caller: 1, count: 2) },
    BadHistory(rule: "1.02", name: "another phase") { $0.deliveries[1].phase = 3 },
    BadHistory(
      rule: "1.02", name: "a value that nobody has published",
      twin: { $0.deliveries[1].version = DeliveryRecord.unknownVersion },
      spoil: {
        $0.deliveries[1].version = DeliveryRecord.unknownVersion
        $0.deliveries[1].number = Number.make(caller: 5, count: 5)
      }),
    BadHistory(rule: "1.01", name: "a version above the last") { $0.deliveries[2].version = 3 },
    BadHistory(
      rule: "1.03", name: "not up to the last state", twin: { $0.isLasting = false },
      spoil: { $0.deliveries.removeLast() }),
    BadHistory(rule: "1.03", name: "nothing at all") { $0.deliveries = [] },
    BadHistory(
      rule: "2.01", name: "begins after the state of that moment",
      twin: {
        $0.replay = 0...1
        $0.deliveries.removeFirst()
      }, spoil: { $0.deliveries.removeFirst() }),
    BadHistory(
      rule: "2.01", name: "begins before the state of that moment",
      twin: {
        $0.replay = 1...1
        $0.deliveries.removeFirst()
      }, spoil: { $0.replay = 1...1 }),
    BadHistory(
      rule: "2.02", name: "one inside the other", twin: { $0.deliveries[0].end = 150 },
      spoil: { $0.deliveries[0].end = 151 }),
    BadHistory(rule: "2.02", name: "one met the other") { $0.overlaps = 1 },
    BadHistory(rule: "2.03", name: "elsewhere") { $0.deliveries[1].isInPlace = false },
    BadHistory(
      rule: "2.03", name: "immediate, but not on a publishing thread",
      twin: { $0.deliveries[1].isOnHammer = false },
      spoil: {
        $0.venue = .immediate
        $0.deliveries[1].isOnHammer = false
      }),
    BadHistory(
      rule: "2.06", name: "the new one inside the old",
      twin: {
        $0.replacements = 1
        $0.deliveries.append(late(2))
      },
      spoil: {
        $0.replacements = 1
        $0.overlaps = 1
      }),
    BadHistory(rule: "2.06", name: "more breaks than replacements") {
      $0.replacements = 1
      $0.deliveries += [late(1), late(1, 420)]
    },
    BadHistory(rule: "2.09", name: "before it was published") {
      $0.deliveries[1].begin = 99
      $0.deliveries[1].end = 120
    },
    BadHistory(
      rule: "6.03", name: "a sequence without the last state", twin: { $0.face = .states },
      spoil: {
        $0.face = .states
        $0.deliveries.removeLast()
      }),
  ]

  static func late(_ version: UInt32, _ begin: UInt64 = 400) -> DeliveryRecord {
    HandMade.delivery(version, at: begin)
  }
}
