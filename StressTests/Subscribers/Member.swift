import SubPub

/// One subscription of a round, with everything that was noted of it. The subscriber itself is held by whoever plays
/// with its life.
final class Member: Sendable {
  let role: Role
  let log: DeliveryLog
  /// Nil for a sequence.
  let subscription: Subscription?
  let joining: Span
  /// Who subscribed, and when in its own order.
  let joiner: Int
  let order: Int
  /// The versions that the replay may have; nil: nothing is replayed.
  let replay: ClosedRange<UInt32>?
  private let notes = Guarded(Notes())

  struct Notes: Sendable {
    var cancels: [CancelRecord] = []
    var readings: [Counts] = []
    var settled: Counts?
    var closing: Counts?
    /// Nobody holds the subscriber any more.
    var isReleased = false
    var isLasting = false
    var hasEndedOtherwise = false
    var contextDeath: UInt64?
    var replacements = 0
  }

  init(
    _ role: Role, _ log: DeliveryLog, _ subscription: Subscription?, joining: Span, by joiner: Int, order: Int,
    replay: ClosedRange<UInt32>?
  ) {
    self.role = role
    self.log = log
    self.subscription = subscription
    self.joining = joining
    self.joiner = joiner
    self.order = order
    self.replay = replay
  }

  func note(_ body: (inout Notes) -> Void) { notes.with(body) }

  /// Cancels, and notes what it said.
  @discardableResult
  func cancel(isOnOwnContext: Bool = false, mustFindItUnderWay: Bool = false) -> CancelOutcome? {
    guard let subscription else { return nil }
    let (outcome, span) = Span.of { subscription.cancel() }
    let record = CancelRecord(
      span: span, answer: .outcome(outcome), thread: ThreadMark.current, isOnOwnContext: isOnOwnContext,
      mustBeInFlight: mustFindItUnderWay)
    notes.with { $0.cancels.append(record) }
    return outcome
  }

  /// Cancels and waits, and notes when it returned.
  func cancelAndWait() async {
    guard let subscription else { return }
    let begin = Stamp.now()
    await subscription.cancelAndWait()
    let span = Span(begin: begin, end: Stamp.now())
    notes.with { $0.cancels.append(CancelRecord(span: span, answer: .waited, thread: ThreadMark.current)) }
  }

  /// Notes the statistics in the middle of things.
  func read() {
    guard let subscription else { return }
    let counts = Counts(subscription.statistics)
    notes.with { $0.readings.append(counts) }
  }

  /// Nobody holds the subscriber any more.
  func release() {
    // An actor on the Swift pool may live on as long as a job for it waits there.
    let isCertain = role.face != .actorHandler
    notes.with { ($0.isReleased, $0.hasEndedOtherwise) = (isCertain, true) }
  }

  /// It is, or waits for, an actor that nobody holds, and whose death hasn't been noted.
  var mayLinger: Bool {
    notes.with { $0.hasEndedOtherwise && !$0.isReleased && $0.contextDeath == nil } && log.death == nil
  }

  /// Everything has come to rest, and the subscription goes on.
  func settle() {
    let counts = subscription.map { Counts($0.statistics) }
    notes.with { ($0.settled, $0.isLasting) = (counts, true) }
  }

  /// Ends it, waits for the last delivery, and hands over what was noted.
  func history() async -> History {
    if let subscription {
      cancel()
      await cancelAndWait()
      let counts = Counts(subscription.statistics)
      notes.with { $0.closing = counts }
    }
    let noted = notes.with { $0 }
    var history = History()
    (history.venue, history.face, history.policy) = (role.place.venue, role.face, role.policy)
    (history.lane, history.joiner, history.order) = (role.place.venue.isShared ? role.place.id : nil, joiner, order)
    (history.joining, history.replay) = (joining, replay)
    (history.deliveries, history.overlaps, history.death) = (log.deliveries, log.overlaps, log.death)
    (history.cancels, history.readings) = (noted.cancels, noted.readings)
    (history.settled, history.closing, history.isReleased) = (noted.settled, noted.closing, noted.isReleased)
    (history.isLasting, history.hasEndedOtherwise) = (noted.isLasting, noted.hasEndedOtherwise)
    (history.contextDeath, history.replacements) = (noted.contextDeath, noted.replacements)
    return history
  }
}
