import SubPub
import Support

/// One subscription of a round, with everything that is recorded of it, but without its subscriber.
final class RecordedSubscription: Sendable {
  let kind: SubscriptionKind
  let log: DeliveryLog
  /// Nil for a sequence.
  let subscription: Subscription?
  private let history: Guarded<SubscriptionHistory>

  init(
    _ kind: SubscriptionKind, _ log: DeliveryLog, _ subscription: Subscription?, joining: Span, by joiner: Int,
    order: Int, replay: ClosedRange<UInt32>?
  ) {
    self.kind = kind
    self.log = log
    self.subscription = subscription
    var history = SubscriptionHistory()
    (history.context, history.interface, history.policy) = (kind.context, kind.interface, kind.policy)
    history.lane = kind.place.flatMap { $0.kind.isShared ? ObjectIdentifier($0).hashValue : nil }
    (history.joiner, history.order, history.joining, history.replay) = (joiner, order, joining, replay)
    self.history = Guarded(history)
  }

  func note(_ body: (inout SubscriptionHistory) -> Void) { history.with(body) }

  /// Cancels, and records the outcome.
  @discardableResult
  func cancel(isOnOwnContext: Bool = false, mustBeInFlight: Bool = false) -> CancelOutcome? {
    guard let subscription else { return nil }
    let (outcome, span) = Span.of { subscription.cancel() }
    var record = CancelRecord(span: span, answer: .outcome(outcome), thread: ThreadMark.current)
    (record.isOnOwnContext, record.mustBeInFlight) = (isOnOwnContext, mustBeInFlight)
    record.pendingAfter = subscription.statistics.pending
    note { $0.cancels.append(record) }
    return outcome
  }

  /// Cancels and waits, and records when the wait is over.
  func cancelAndWait() async {
    guard let subscription else { return }
    let begin = Stamp.now()
    await subscription.cancelAndWait()
    let record = CancelRecord(span: Span(since: begin), answer: .waited, thread: ThreadMark.current)
    note { $0.cancels.append(record) }
  }

  /// Reads the statistics while deliveries go on.
  func readStatistics() {
    guard let subscription else { return }
    let counts = Counts(subscription.statistics)
    note { $0.readings.append(counts) }
  }

  /// The test is about to release the subscriber.
  func willRelease() {
    // An actor on Swift's pool may live on for as long as one of its jobs waits there.
    let isCertain = kind.interface != .actorHandler
    note { $0.isReleased = isCertain }
    mayEnd()
  }

  /// From now on something other than a cancel may end it.
  func mayEnd() { note { $0.mayHaveEndedSince = min($0.mayHaveEndedSince ?? .max, Stamp.now()) } }

  /// Whether the publisher may count it, although nothing holds the actor that it is for.
  var mayLinger: Bool {
    history.with { $0.mayHaveEndedSince != nil && !$0.isReleased && $0.contextDeath == nil } && log.death == nil
  }

  /// Everything has come to rest, and the subscription goes on.
  func settle() {
    let counts = subscription.map { Counts($0.statistics) }
    note { ($0.settled, $0.isLasting) = (counts, true) }
  }

  /// Ends it, waits for the last delivery, and returns what was recorded.
  func finish() async -> SubscriptionHistory {
    if let subscription {
      cancel()
      await cancelAndWait()
      let counts = Counts(subscription.statistics)
      note { $0.closing = counts }
    }
    var history = history.with { $0 }
    if history.isReleased { await log.awaitDeath() }
    (history.deliveries, history.overlaps, history.death) = (log.deliveries, log.overlaps, log.death)
    return history
  }
}
