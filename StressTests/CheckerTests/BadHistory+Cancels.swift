import SubPub

extension BadHistory {
  /// Cancels and deaths. Version 1 is delivered from 150 to 155, on thread 7.
  static let cancels: [BadHistory] = [
    BadHistory(
      rule: "3.02", name: "a delivery after a quiescent cancel", twin: cancelled(.quiescent, 260),
      spoil: cancelled(.quiescent, 160)),
    BadHistory(rule: "3.02", name: "quiescent while one is under way", spoil: cancelled(.quiescent, 252)),
    BadHistory(
      rule: "3.02", name: "two after an inFlight cancel", twin: cancelled(.inFlight, 160),
      spoil: cancelled(.inFlight, 152)),
    BadHistory(
      rule: "3.02", name: "inFlight, from inside", twin: cancelled(.reentrant, 252, thread: 7),
      spoil: cancelled(.inFlight, 252, thread: 7)),
    BadHistory(
      rule: "3.02", name: "inFlight, and nothing ever was",
      twin: {
        ($0.deliveries, $0.isLasting, $0.death) = ([], false, 280)
        cancelled(.inFlight, 260)(&$0)
      },
      spoil: {
        $0.deliveries = []
        cancelled(.inFlight, 260)(&$0)
      }),
    BadHistory(rule: "3.02", name: "one after a reentrant cancel") { cancelled(.reentrant, 152, thread: 7)(&$0) },
    BadHistory(rule: "3.02", name: "reentrant, from another thread") { cancelled(.reentrant, 252)(&$0) },
    BadHistory(
      rule: "3.02", name: "already cancelled by nobody",
      twin: {
        $0.death = 260
        late(.alreadyCancelled)(&$0)
      }, spoil: late(.alreadyCancelled)),
    BadHistory(
      rule: "3.02", name: "two cancels found it active",
      twin: { $0.cancels = [.quiescent, .alreadyCancelled].map { HandMade.cancel($0, 260) } },
      spoil: { $0.cancels = [.quiescent, .quiescent].map { HandMade.cancel($0, 260) } }),
    BadHistory(rule: "3.02", name: "quiescent, but one was certainly under way") {
      late(.quiescent)(&$0)
      $0.cancels[0].mustBeInFlight = true
    },
    BadHistory(
      rule: "3.03", name: "inFlight on its own context",
      twin: {
        late(.quiescent)(&$0)
        $0.cancels[0].isOnOwnContext = true
      },
      spoil: {
        cancelled(.inFlight, 252)(&$0)
        $0.cancels[0].isOnOwnContext = true
      }),
    BadHistory(rule: "3.04", name: "a delivery after cancelAndWait", twin: waited(260), spoil: waited(160)),
    BadHistory(
      rule: "2.05", name: "delivered to the dead", twin: { $0.death = 255 }, spoil: { $0.death = 254 }),
    BadHistory(
      rule: "2.05", name: "delivered to a dead actor", twin: { $0.contextDeath = 255 },
      spoil: { $0.contextDeath = 254 }),
    BadHistory(
      rule: "2.05", name: "somebody holds the subscriber",
      twin: { ($0.isReleased, $0.death) = (true, 300) }, spoil: { $0.isReleased = true }),
  ]

  private typealias Change = @Sendable (inout History) -> Void

  private static func cancelled(_ outcome: CancelOutcome, _ begin: UInt64, thread: UInt32 = 1) -> Change {
    { $0.cancels = [HandMade.cancel(outcome, begin, thread: thread)] }
  }

  private static func late(_ outcome: CancelOutcome) -> Change { cancelled(outcome, 260) }

  private static func waited(_ end: UInt64) -> Change {
    { $0.cancels = [CancelRecord(span: Span(begin: end - 2, end: end), answer: .waited, thread: 1)] }
  }
}
