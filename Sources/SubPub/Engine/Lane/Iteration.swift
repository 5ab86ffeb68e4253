import Synchronization

/// The lane of an iterator: no thread serves it, and the iterating task takes its states.
extension Lane {
  /// The outcome of an iterator's `next()`.
  enum NextAction {
    case state(any BoxedPublication)
    case suspend
    case end
  }

  /// The outcome of suspending an iterating task that has found nothing.
  enum SuspendAction {
    case suspended
    /// There is something to take now, or nothing more will arrive.
    case resume
    /// Another task is already waiting.
    case misuse
  }

  func enqueueForIterator(_ state: QueuedState, _ effects: inout Effects) {
    guard let iteration, iteration.selects(state) else { return }
    inTurn.pending.append(state)
    let count = inTurn.pending.count
    dropSurplus(&effects)
    iteration.accept(skipping: count - inTurn.pending.count)
    completeDrains(&effects)
    schedule(&effects)
  }

  /// Makes what a client has missed pending, in the turn in which it comes back (6.05).
  ///
  /// It takes every state, so those that the newer ones would replace at once needn't be visited.
  func enqueue(_ missed: History.Missed) {
    let kept = min(missed.count, capacity)
    inTurn.pending.reserve(kept)
    missed.forEach(ofNewest: kept) { inTurn.pending.append($0) }
    iteration?.accept(missed.count, skipping: missed.count - kept)
  }

  /// Takes the next state for the iterator; the delivery begins and ends within this turn.
  ///
  /// The lane is in the registry's table, so the subscription is open, and more may arrive.
  func takeForIterator(_ effects: inout Effects) -> NextAction {
    let subscription = inTurn.subscriptions[0]
    assert(subscription.gate.isOpen, "the lane of an iterator goes with its subscription")
    guard inTurn.obstacleCount == 0, let state = inTurn.pending.popFirst() else { return .suspend }
    if pace != nil { inTurn.obstacleCount += 1 }
    subscription.gate.pass(state.version)
    iteration?.countDelivery(of: state.version)
    // Added now: the end of the iteration may follow in this turn.
    if let reporter = registry.extras?.reporter, let publication = state.state.publication {
      let delivery = EventReporter.DeliveryReport(
        state: state.state, publication: publication, subscription: subscription,
        skipped: iteration?.takeUnreportedSkips() ?? 0)
      if reporter.add(.delivered(delivery, nil)) { effects.report(reporter) }
    }
    completeDrains(&effects)
    return .state(state.state)
  }

  /// Suspends the iterating task, unless there is something to take or nothing more will arrive.
  func suspend(_ task: SuspendedTask) -> SuspendAction {
    guard inTurn.isInTable, inTurn.pending.isEmpty || inTurn.obstacleCount > 0 else { return .resume }
    guard inTurn.iteratingTask == nil else { return .misuse }
    inTurn.iteratingTask = task
    return .suspended
  }
}

/// The selection and the counts of an iterator.
///
/// Written in turns, which order the accesses, and read by any thread.
final class Iteration: Sendable {
  private let selection: DeliveryContext.Selection
  private let accepted = Atomic<Int>(0)
  private let delivered = Atomic<Int>(0)
  private let skipped = Atomic<Int>(0)
  private let reportedSkips = Atomic<Int>(0)
  private let mostPending = Atomic<Int>(0)
  private let lastVersion = Atomic<UInt64>(0)

  init(of selection: DeliveryContext.Selection) { self.selection = selection }

  func selects(_ state: QueuedState) -> Bool { selection == .everyState || state.state.isLoaded }

  /// Counts more pending states, of which, or for which, others were dropped.
  func accept(_ count: Int = 1, skipping skippedCount: Int) {
    accepted.add(count, ordering: .relaxed)
    skipped.add(skippedCount, ordering: .relaxed)
    mostPending.max(statistics.pending, ordering: .relaxed)
  }

  func countDelivery(of version: UInt64) {
    lastVersion.store(version, ordering: .relaxed)
    delivered.add(1, ordering: .relaxed)
  }

  /// Returns the number of states that were skipped since the last call.
  func takeUnreportedSkips() -> Int {
    let all = skipped.load(ordering: .relaxed)
    return all - reportedSkips.exchange(all, ordering: .relaxed)
  }

  /// Counts all pending states as skipped, because the iterator has left.
  func skipPending() { skipped.add(statistics.pending, ordering: .relaxed) }

  var statistics: Subscription.Statistics {
    let delivered = delivered.load(ordering: .relaxed)
    let skipped = skipped.load(ordering: .relaxed)
    let pending = accepted.load(ordering: .relaxed) - delivered - skipped
    return Subscription.Statistics(
      delivered: delivered, skipped: skipped, pending: max(0, pending),
      highWater: mostPending.load(ordering: .relaxed),
      lastVersion: delivered > 0 ? lastVersion.load(ordering: .relaxed) : nil)
  }
}
