import Synchronization

/// The shell of a lane: wakes it on its context, and drains it there. The lane itself is state of the registry.
package final class LaneRunner: Sendable {
  package let delivery: Delivery
  /// Delivers on the publishing thread.
  let isImmediate: Bool
  private let isActor: Bool
  let turns: any LaneTurns
  package let signal = LaneSignal()
  /// The ordinal of the newest state. Written in turns; read wherever a state may have been overtaken.
  private let newestOrdinal: Atomic<UInt64>
  /// The oldest state that somebody in `drain()` waits for. Written in turns, before the signal says that there is one.
  private let awaitedOrdinal = Atomic<UInt64>(0)
  /// The highest `fullAt` of the lane's `oldest` subscriptions. The drain raises it; in turns in which nobody else drains
  /// it may be lowered.
  private let highestFullAt = Atomic<UInt64>(0)
  /// The thread that drains. A thread compares it only with itself, and only while a delivery of the lane is under
  /// way; the begin of that delivery releases the store before it.
  private let drainer = Atomic<UInt>(0)
  /// How many threads hand the lane back to its context. A thread that does finds its own mark at the registry; the count
  /// spares all others the turn, so relaxed accesses are enough.
  private let handBacks = Atomic<Int>(0)
  /// The context has run the lane's next job at once, inside the hand-back.
  private let nestedJob = Atomic<Bool>(false)
  // The lane's place at its registry. Written and read inside turns, which order the accesses.
  private let place: Atomic<Int>

  init(_ delivery: Delivery, turns: any LaneTurns, newest: UInt64, index: Int) {
    self.delivery = delivery
    isImmediate = delivery == .immediate
    isActor = if case .actor = delivery.context { true } else { false }
    self.turns = turns
    newestOrdinal = Atomic(newest)
    place = Atomic(index)
  }

  /// Inside a turn.
  package var index: Int {
    get { place.load(ordering: .relaxed) }
    set { place.store(newValue, ordering: .relaxed) }
  }

  /// Inside a turn.
  @inline(__always) func arrived(_ ordinal: UInt64) { newestOrdinal.store(ordinal, ordering: .releasing) }

  @inline(__always) package var newest: UInt64 { newestOrdinal.load(ordering: .acquiring) }

  /// Inside a turn. False when nobody drains.
  func noteAwaited(_ ordinal: UInt64) -> Bool {
    awaitedOrdinal.store(ordinal, ordering: .relaxed)
    return signal.noteAwaited()
  }

  /// Between two rounds: whether somebody wants something that can't wait for the end of the batch.
  @inline(__always)
  package func needsLook(before batch: borrowing Batch) -> Bool {
    if signal.needsAttention || !batch.dead.isEmpty { return true }
    guard signal.isAwaited, let next = batch.queue.upcoming else { return false }
    return next.ordinal >= awaitedOrdinal.load(ordering: .relaxed)
  }

  package var fullAt: UInt64 { highestFullAt.load(ordering: .relaxed) }

  package func raiseFullAt(to ordinal: UInt64) { highestFullAt.max(ordinal, ordering: .relaxed) }

  func setFullAt(to ordinal: UInt64) { highestFullAt.store(ordinal, ordering: .relaxed) }

  @inline(__always) func takeOver() { drainer.store(ThreadToken.current.bits, ordering: .relaxed) }

  var isHandingBackHere: Bool { handBacks.load(ordering: .relaxed) > 0 && turns.isHandingBackHere(self) }

  /// Puts the rest of the batch aside. Several threads may be here at once: the next drain may hand back, too, before the
  /// context has returned to this one.
  func handBack(_ batch: inout Batch) {
    handBacks.add(1, ordering: .relaxed)
    turns.handBack(self, &batch)
    handBacks.subtract(1, ordering: .relaxed)
  }

  func noteNestedJob() { nestedJob.store(true, ordering: .relaxed) }

  func takeNestedJob() -> Bool { nestedJob.exchange(false, ordering: .relaxed) }

  /// Has the lane drained on its context. Outside every turn.
  func wake() {
    // The thread that hands back does so from inside a drain.
    if !delivery.context.wake(self, handsBack: isHandingBackHere) { turns.end(self) }
  }
}

extension LaneRunner: SubscriptionHost {
  var source: PublisherID { turns.source }

  var isGone: Bool { isActor && delivery.context.isGone(delivery.context.actor) }

  var isDeliveringHere: Bool { drainer.load(ordering: .relaxed) == ThreadToken.current.bits }

  func cancel(_ subscription: Subscription) -> CancelOutcome { turns.cancel(subscription, in: self) }

  func waitForEnd(of subscription: Subscription) async {
    guard subscription.gate.isUnderWayNow, !isDeliveringHere else { return }
    await turns.waitForEnd(of: subscription, in: self)
  }

  func statistics(of subscription: Subscription) -> Subscription.Statistics { subscription.counts(upTo: newest) }
}
