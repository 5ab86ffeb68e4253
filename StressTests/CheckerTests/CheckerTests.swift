import Testing

@Suite("The checker rejects every kind of bad history, and accepts a good one that looks similar")
struct CheckerTests {
  @Test("a bad subscription is rejected, and its good twin accepted", arguments: deliveries + counts + cancels)
  func subscription(bad: Bad<SubscriptionHistory>) {
    bad.check(Example.subscription()) { Checker.check(Example.history($0)) }
  }

  @Test(
    "a bad history of a publisher is rejected, and its good twin accepted",
    arguments: publishers + drains + states + delegates)
  func publisher(bad: Bad<History>) { bad.check(Example.history()) { Checker.check($0) } }
}

/// One subscription; version 1 is delivered from 150 to 155, version 2 from 250 to 255, on thread 7.
extension CheckerTests {
  private typealias Row = Bad<SubscriptionHistory>

  private static func late(_ version: UInt32) -> Row.Change {
    { $0.deliveries.append(Example.delivery(version, at: $0.deliveries.count == 3 ? 400 : 500)) }
  }
  private static func without(_ index: Int) -> Row.Change { { $0.deliveries.remove(at: index) } }
  private static func policy(_ policy: BufferingPolicy) -> Row.Change { { $0.policy = policy } }
  private static let unversioned: Row.Change = { $0.deliveries[1].version = Delivery.unknownVersion }

  /// Order, overlap, context.
  static let deliveries: [Bad<SubscriptionHistory>] = [
    Row("1.02 1.03", "backwards", spoil: without(1), late(1)),
    Row("1.02", "twice", spoil: late(2)),
    Row("1.02", "a gap without a bound", given: without(1), twin: policy(.latest), spoil: { _ in }),
    Row("1.02", "another value", spoil: { $0.deliveries[1].number = Number.make(caller: 1, count: 2) }),
    Row("1.02", "another phase", spoil: { $0.deliveries[1].phase = 3 }),
    Row(
      "1.02 1.03", "a value that was never published", given: unversioned,
      spoil: { $0.deliveries[1].number = Number.make(caller: 5, count: 5) }),
    Row("1.01 1.02 1.03", "a version above the last", spoil: { $0.deliveries[2].version = 3 }),
    Row("1.03", "without the last state", given: without(2), twin: { $0.isLasting = false }, spoil: { _ in }),
    Row("1.03", "nothing at all", spoil: { $0.deliveries = [] }),
    Row("2.01", "begins after the current state", given: without(0), twin: { $0.replay = 0...1 }, spoil: { _ in }),
    Row("2.01", "begins before the current state", given: { $0.replay = 1...1 }, twin: without(0), spoil: { _ in }),
    Row("2.02", "inside another", twin: { $0.deliveries[0].end = 150 }, spoil: { $0.deliveries[0].end = 151 }),
    Row("2.02", "one met the other", spoil: { $0.overlaps = 1 }),
    Row("2.03", "on another context", spoil: { $0.deliveries[1].isInPlace = false }),
    Row(
      "2.03", "immediate, but not on a publishing thread", given: { $0.deliveries[1].isOnTestThread = false },
      spoil: { $0.context = .immediate }),
    Row(
      "2.06", "a delivery of the replacement inside one of its predecessor", given: { $0.replacements = 1 }, late(2),
      spoil: { $0.overlaps = 1 }),
    Row("2.06", "more breaks than replacements", given: { $0.replacements = 1 }, spoil: late(2), late(2)),
    Row("1.02 1.03", "a replacement goes back", given: { $0.replacements = 1 }, spoil: late(1)),
    Row("2.09", "before it was published", spoil: { $0.deliveries[1].begin = 99 }),
    Row("6.03", "a sequence without the last state", given: { $0.interface = .states }, spoil: without(2)),
  ]

  private static func figures(_ change: (inout Counts) -> Void = { _ in }) -> Counts {
    var counts = Counts(delivered: 3, highWater: 1, lastVersion: 2)
    change(&counts)
    return counts
  }
  private static func pending(_ now: Int, _ most: Int) -> Row.Change {
    { $0.readings = [figures { ($0.pending, $0.highWater) = (now, most) }] }
  }

  /// Bounds and statistics.
  static let counts: [Bad<SubscriptionHistory>] = [
    Row(
      "2.04", "pending at rest", twin: { $0.settled = figures() }, spoil: { $0.settled = figures { $0.pending = 1 } }),
    Row("2.04", "fewer counted than delivered", spoil: { $0.settled = figures { $0.delivered = 2 } }),
    Row(
      "2.04", "more counted than published", given: policy(.latest),
      spoil: { $0.settled = figures { $0.skipped = 1 } }),
    Row("2.01 2.04", "skipped without a bound", spoil: { $0.settled = figures { $0.skipped = 1 } }),
    Row("2.04", "counts another last version", spoil: { $0.settled = figures { $0.lastVersion = 1 } }),
    Row(
      "2.04", "pending after the end", twin: { $0.closing = figures() },
      spoil: { $0.closing = figures { $0.pending = 1 } }),
    Row(
      "2.04", "counts another last version after the end", twin: { $0.closing = figures() },
      spoil: { $0.closing = figures { $0.lastVersion = 1 } }),
    Row(
      "2.04", "counts wrongly after the end", given: { $0.closing = figures { $0.delivered = 4 } },
      twin: { $0.sharesDeliveries = true }, spoil: { _ in }),
    Row("2.04", "more pending than the bound", given: policy(.newest(2)), twin: pending(2, 2), spoil: pending(3, 2)),
    Row("2.04", "more ever pending than the bound", given: policy(.newest(2)), spoil: pending(1, 3)),
  ]

  private static func cancel(
    _ outcome: CancelOutcome, _ begin: UInt64, thread: UInt32 = 1,
    _ change: @escaping @Sendable (inout CancelRecord) -> Void = { _ in }
  ) -> Row.Change {
    {
      var record = Example.cancel(.outcome(outcome), begin, thread: thread)
      change(&record)
      $0.cancels.append(record)
    }
  }
  private static func waited(_ begin: UInt64) -> Row.Change { { $0.cancels = [Example.cancel(.waited, begin)] } }
  private static func mayEnd(_ moment: UInt64) -> Row.Change { { $0.mayHaveEndedSince = moment } }

  /// Cancels and deaths.
  static let cancels: [Bad<SubscriptionHistory>] = [
    Row("3.02", "a delivery after a quiescent cancel", twin: cancel(.quiescent, 260), spoil: cancel(.quiescent, 160)),
    Row("3.02", "quiescent during a delivery", spoil: cancel(.quiescent, 252)),
    Row("3.02", "quiescent, from inside", spoil: cancel(.quiescent, 252, thread: 7)),
    Row("3.02", "two deliveries after an inFlight one", twin: cancel(.inFlight, 160), spoil: cancel(.inFlight, 152)),
    Row(
      "3.02", "inFlight, from inside", twin: cancel(.reentrant, 252, thread: 7),
      spoil: cancel(.inFlight, 252, thread: 7)),
    Row(
      "3.02", "inFlight without any delivery", given: { ($0.deliveries, $0.isLasting) = ([], false) },
      cancel(.inFlight, 260), twin: { $0.death = 280 }, spoil: { _ in }),
    Row(
      "3.02", "inFlight, but all deliveries had been counted before",
      twin: cancel(.inFlight, 252) { $0.deliveredBefore = 2 },
      spoil: cancel(.inFlight, 252) { $0.deliveredBefore = 3 }),
    Row("3.02", "a delivery after a reentrant cancel", spoil: cancel(.reentrant, 152, thread: 7)),
    Row("3.02", "reentrant, from another thread", spoil: cancel(.reentrant, 252)),
    Row(
      "3.02", "already cancelled, but by no cancel", given: cancel(.alreadyCancelled, 260), twin: { $0.death = 260 },
      spoil: { _ in }),
    Row(
      "3.02", "already cancelled before the release", given: cancel(.alreadyCancelled, 260), twin: mayEnd(262),
      spoil: mayEnd(263)),
    Row(
      "3.02", "two deliveries after it was cancelled already", given: mayEnd(0), twin: cancel(.alreadyCancelled, 160),
      spoil: cancel(.alreadyCancelled, 152)),
    Row(
      "3.02", "two cancels found it active", given: cancel(.quiescent, 260), twin: cancel(.alreadyCancelled, 260),
      spoil: cancel(.quiescent, 260)),
    Row("3.02", "quiescent, but certainly in flight", spoil: cancel(.quiescent, 260) { $0.mustBeInFlight = true }),
    Row("2.04", "a state pending after a cancel", spoil: cancel(.quiescent, 260) { $0.pendingAfter = 1 }),
    Row(
      "3.03", "inFlight on its own context", twin: cancel(.quiescent, 260) { $0.isOnOwnContext = true },
      spoil: cancel(.inFlight, 252) { $0.isOnOwnContext = true }),
    Row("3.04", "a delivery after cancelAndWait", twin: waited(258), spoil: waited(158)),
    Row("2.05", "a delivery to a dead subscriber", twin: { $0.death = 255 }, spoil: { $0.death = 254 }),
    Row("2.05", "a delivery to a dead actor", twin: { $0.contextDeath = 255 }, spoil: { $0.contextDeath = 254 }),
    Row("2.05", "the subscriber is held", given: { $0.isReleased = true }, twin: { $0.death = 300 }, spoil: { _ in }),
  ]
}
