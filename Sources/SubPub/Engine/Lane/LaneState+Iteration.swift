import Synchronization

/// The lane of an iterator: nobody serves it, and the iterating task takes its states.
extension LaneState {
  /// What an iterator's `next()` has found.
  enum NextAction {
    case state(QueuedState)
    case suspend
    case end
  }

  /// What becomes of an iterating task that has found nothing.
  enum SuspendAction {
    case suspended
    /// There is something to take by now, or nothing more will come.
    case resume
    /// Another task waits already.
    case misuse
  }

  mutating func enqueueForIterator(_ state: QueuedState, _ effects: inout Effects) {
    guard let iteration = lane.iteration, iteration.selects(state) else { return }
    pending.append(state)
    let count = pending.count
    retention.trim(&pending, &effects)
    iteration.accept(skipping: count - pending.count)
    completeSkippedDrains()
    if let task = iteratingTask.take() { effects.resume(task) }
  }

  /// The next state for the iterator. A delivery begins and ends within this turn.
  mutating func takeForIterator(_ effects: inout Effects) -> NextAction {
    let subscription = subscriptions[0]
    guard subscription.gate.isOpen else { return .end }
    guard let state = pending.popFirst() else { return isClosing ? .end : .suspend }
    subscription.gate.pass(state.version)
    lane.iteration?.deliver(state.version)
    if !drains.isEmpty { completeDrains(except: Batch()) }
    return .state(state)
  }

  /// Suspends the iterating task, unless there is something to take, or nothing more will come.
  mutating func suspend(_ task: SuspendedTask) -> SuspendAction {
    guard active > 0, !isClosing, pending.isEmpty else { return .resume }
    guard iteratingTask == nil else { return .misuse }
    iteratingTask = task
    return .suspended
  }
}

/// Which states an iterator takes, and its counts. Written in turns, which order the accesses, and read by anyone.
final class Iteration: Sendable {
  private let selection: DeliveryContext.Selection
  private let accepted = Atomic<Int>(0)
  private let delivered = Atomic<Int>(0)
  private let skipped = Atomic<Int>(0)
  private let mostPending = Atomic<Int>(0)
  private let lastVersion = Atomic<UInt64>(0)

  init(of selection: DeliveryContext.Selection) { self.selection = selection }

  func selects(_ state: QueuedState) -> Bool { selection == .everyState || state.state.isLoaded }

  /// One more state is pending, and others have given way to it.
  func accept(skipping count: Int) {
    accepted.add(1, ordering: .relaxed)
    skipped.add(count, ordering: .relaxed)
    mostPending.max(statistics.pending, ordering: .relaxed)
  }

  func deliver(_ version: UInt64) {
    lastVersion.store(version, ordering: .relaxed)
    delivered.add(1, ordering: .relaxed)
  }

  /// The iterator has left.
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
