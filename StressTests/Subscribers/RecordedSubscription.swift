import Synchronization

/// One subscription of a round, with everything that is recorded of it.
final class RecordedSubscription: @unchecked Sendable {
  /// What a subscriber does inside its callback.
  typealias Reaction = @Sendable (_ subscription: RecordedSubscription, _ number: UInt32) -> Void
  /// A subscriber, which nothing else holds, with its subscription.
  typealias Joined = (subscriber: any AnyObject & Sendable, subscription: Subscription)

  private struct State: Sendable {
    var history = SubscriptionHistory()
    var subscription: Subscription?
    var subscriber: (any AnyObject & Sendable)?
    var task: Task<Void, Never>?
  }

  let kind: SubscriptionKind
  private let reaction: Reaction?
  private let state = Guarded(State())
  // Only its deliveries write these, which needs no lock (2.09): ThreadSanitizer checks it.
  @exclusivity(unchecked) private var deliveries: [Delivery] = []
  /// What a sequence has counted at its end.
  var closing: Counts?
  // Relaxed, so that the mark doesn't order what the library has to order. It only keeps an overlap, which is counted,
  // from breaking the array.
  private let isInside = Atomic<Bool>(false)
  private let overlaps = Tally()
  private let diedAt = Atomic<UInt64>(0)
  private let alive = Countdown(1)

  init(_ kind: SubscriptionKind, reaction: Reaction? = nil) { (self.kind, self.reaction) = (kind, reaction) }

  /// Records how it began; a sequence has no subscription, but a task that iterates.
  func begin(_ joining: Span, replay: ClosedRange<UInt32>?, _ joined: Joined? = nil, task: Task<Void, Never>? = nil) {
    state.with { state in
      (state.subscriber, state.subscription, state.task) = (joined?.subscriber, joined?.subscription, task)
      (state.history.context, state.history.interface, state.history.policy) = (
        kind.context, kind.interface, kind.policy
      )
      state.history.lane = kind.place.flatMap { $0.kind.isShared ? ObjectIdentifier($0).hashValue : nil }
      state.history.joiner = Int(ThreadMark.current)
      (state.history.joining, state.history.replay) = (joining, replay)
    }
  }

  func note(_ body: (inout SubscriptionHistory) -> Void) { state.with { body(&$0.history) } }

  private var subscription: Subscription? { state.with { $0.subscription } }
  var subscriber: (any AnyObject & Sendable)? { state.with { $0.subscriber } }
  var task: Task<Void, Never>? { state.with { $0.task } }

  /// Cancels, and records the outcome; does nothing during the first replay.
  func cancel(isOnOwnContext: Bool = false, mustBeInFlight: Bool = false) {
    guard let subscription else { return }
    let (outcome, span) = Span.of { subscription.cancel() }
    var record = CancelRecord(span: span, answer: .outcome(outcome), thread: ThreadMark.current)
    (record.isOnOwnContext, record.mustBeInFlight) = (isOnOwnContext, mustBeInFlight)
    record.pendingAfter = subscription.statistics.pending
    note { $0.cancels.append(record) }
  }

  /// Cancels and waits, and records when the wait is over.
  func cancelAndWait() async {
    guard let subscription else { return }
    let begin = Stamp.now()
    await subscription.cancelAndWait()
    let record = CancelRecord(span: Span(since: begin), answer: .waited, thread: ThreadMark.current)
    note { $0.cancels.append(record) }
  }

  /// Ends the task, if there is one.
  func endTask() async {
    task?.cancel()
    await task?.value
  }

  /// Reads the statistics while deliveries go on.
  func readStatistics() {
    guard let subscription else { return }
    let counts = Counts(subscription.statistics)
    note { $0.readings.append(counts) }
  }

  /// From now on something other than a cancel may end it.
  func mayEnd() { note { $0.mayHaveEndedSince = min($0.mayHaveEndedSince ?? .max, Stamp.now()) } }

  /// Releases the subscriber, whatever its deliveries do.
  func release() {
    // An actor on Swift's pool may live on for as long as one of its jobs waits there.
    note { $0.isReleased = kind.interface != .actorHandler }
    mayEnd()
    drop()
  }

  /// Releases the subscriber of a subscription that has ended.
  func drop() { _ = state.with { $0.subscriber.take() } }

  /// Whether the publisher may count it, although nothing holds the actor that it is for.
  var mayLinger: Bool {
    let history = state.with { $0.history }
    return history.mayHaveEndedSince != nil && !history.isReleased && history.contextDeath == nil && death == nil
  }

  /// Everything has come to rest, and the subscription goes on.
  func settle() {
    let counts = subscription.map { Counts($0.statistics) }
    note { ($0.settled, $0.isLasting) = (counts, true) }
  }

  /// Ends it, waits for the last delivery, and returns what was recorded.
  func finish() async -> SubscriptionHistory {
    cancel()
    await cancelAndWait()
    var history = state.with { $0.history }
    // A thread may hold a released subscriber for a moment although it delivers nothing.
    if history.isReleased { _ = await alive.wait() }
    history.closing = subscription.map { Counts($0.statistics) } ?? closing
    (history.deliveries, history.overlaps, history.death) = (unsafe deliveries, overlaps.count, death)
    // It holds this.
    drop()
    return history
  }
}

/// What its subscriber calls.
extension RecordedSubscription {
  func record(_ publication: Publication<Payload>) {
    record(publication.state, version: UInt32(truncatingIfNeeded: publication.version))
  }

  func record(_ state: LoadState<Payload>, version: UInt32 = Delivery.unknownVersion) {
    record(number: state.value?.number ?? 0, phase: state.phase.code, version: version)
  }

  @inline(__always)
  func record(number: UInt32, phase: UInt8 = 2, version: UInt32 = Delivery.unknownVersion) {
    let begin = Stamp.now()
    guard !isInside.exchange(true, ordering: .relaxed) else { return overlaps.add() }
    let isInPlace = kind.place?.enter() ?? true
    if let reaction { reaction(self, number) }
    kind.place?.leave()
    unsafe deliveries.append(
      Delivery(
        begin: begin, end: Stamp.now(), version: version, number: number, thread: ThreadMark.current, phase: phase,
        isInPlace: isInPlace, isOnTestThread: ThreadMark.isTestThread))
    isInside.store(false, ordering: .relaxed)
  }

  /// Records the death of the subscriber, from its `deinit`.
  func died() {
    diedAt.store(Stamp.now(), ordering: .relaxed)
    alive.arrive()
  }

  private var death: UInt64? {
    let stamp = diedAt.load(ordering: .relaxed)
    return stamp == 0 ? nil : stamp
  }
}

/// Makes a delivery take a while, so that something can happen during it.
enum BusyWait {
  /// Waits for up to 4 microseconds, depending on the number.
  static func short(_ number: UInt32) { wait(UInt64(number % 8) * 500) }

  static func wait(_ nanoseconds: UInt64) {
    let end = Stamp.now() + nanoseconds
    while Stamp.now() < end {}
  }
}
