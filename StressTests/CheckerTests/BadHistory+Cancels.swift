import SubPub
import Support

extension BadHistory {
  /// Cancels and deaths; version 1 is delivered from 150 to 155, version 2 from 250 to 255, on thread 7.
  static let cancels: [BadHistory] = [
    BadHistory(
      "3.02", "a delivery after a quiescent cancel", twin: cancel(.quiescent, 260), spoil: cancel(.quiescent, 160)),
    BadHistory("3.02", "quiescent during a delivery", spoil: cancel(.quiescent, 252)),
    BadHistory(
      "3.02", "two deliveries after an inFlight cancel", twin: cancel(.inFlight, 160), spoil: cancel(.inFlight, 152)),
    BadHistory(
      "3.02", "inFlight, from inside", twin: cancel(.reentrant, 252, thread: 7),
      spoil: cancel(.inFlight, 252, thread: 7)),
    BadHistory(
      "3.02", "inFlight without any delivery",
      twin: { ($0.deliveries, $0.isLasting, $0.death) = ([], false, 280) }, cancel(.inFlight, 260),
      spoil: { $0.deliveries = [] }, cancel(.inFlight, 260)),
    BadHistory(
      "3.02", "inFlight, but all deliveries had been counted before",
      twin: cancel(.inFlight, 252) { $0.deliveredBefore = 2 },
      spoil: cancel(.inFlight, 252) { $0.deliveredBefore = 3 }),
    BadHistory("3.02", "a delivery after a reentrant cancel", spoil: cancel(.reentrant, 152, thread: 7)),
    BadHistory("3.02", "reentrant, from another thread", spoil: cancel(.reentrant, 252)),
    BadHistory(
      "3.02", "already cancelled, but by no cancel", twin: { $0.death = 260 }, cancel(.alreadyCancelled, 260),
      spoil: cancel(.alreadyCancelled, 260)),
    BadHistory(
      "3.02", "already cancelled before the release",
      twin: { $0.mayHaveEndedSince = 262 }, cancel(.alreadyCancelled, 260),
      spoil: { $0.mayHaveEndedSince = 263 }, cancel(.alreadyCancelled, 260)),
    BadHistory(
      "3.02", "two deliveries after it was cancelled already",
      twin: { $0.mayHaveEndedSince = 0 }, cancel(.alreadyCancelled, 160),
      spoil: { $0.mayHaveEndedSince = 0 }, cancel(.alreadyCancelled, 152)),
    BadHistory(
      "3.02", "two cancels found it active", twin: cancel(.quiescent, 260), cancel(.alreadyCancelled, 260),
      spoil: cancel(.quiescent, 260), cancel(.quiescent, 260)),
    BadHistory(
      "3.02", "quiescent, but a delivery was certainly active",
      spoil: cancel(.quiescent, 260) { $0.mustBeInFlight = true }),
    BadHistory("2.04", "a state pending after a cancel", spoil: cancel(.quiescent, 260) { $0.pendingAfter = 1 }),
    BadHistory(
      "3.03", "inFlight on its own context", twin: cancel(.quiescent, 260) { $0.isOnOwnContext = true },
      spoil: cancel(.inFlight, 252) { $0.isOnOwnContext = true }),
    BadHistory(
      "3.04", "a delivery after cancelAndWait", twin: { $0.cancels = [Example.cancel(.waited, 258)] },
      spoil: { $0.cancels = [Example.cancel(.waited, 158)] }),
    BadHistory("2.05", "a delivery to a dead subscriber", twin: { $0.death = 255 }, spoil: { $0.death = 254 }),
    BadHistory("2.05", "a delivery to a dead actor", twin: { $0.contextDeath = 255 }, spoil: { $0.contextDeath = 254 }),
    BadHistory(
      "2.05", "the subscriber is held", twin: { ($0.isReleased, $0.death) = (true, 300) },
      spoil: { $0.isReleased = true }),
  ]

  private static func cancel(
    _ outcome: CancelOutcome, _ begin: UInt64, thread: UInt32 = 1,
    _ change: @escaping @Sendable (inout CancelRecord) -> Void = { _ in }
  ) -> Change {
    {
      var record = Example.cancel(.outcome(outcome), begin, thread: thread)
      change(&record)
      $0.cancels.append(record)
    }
  }
}
