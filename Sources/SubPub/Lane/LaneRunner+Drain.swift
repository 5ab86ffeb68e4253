extension LaneRunner: Drainable {
  /// Serves what is pending, in batches, until nothing is left or the budget is used up.
  func drain() {
    let context = delivery.context.actor
    defer { withExtendedLifetime(context) {} }
    if delivery.context.isGone(context) { return turns.end(self) }
    // A job that an executor runs inside `enqueue`, on top of the drain that hands back: that one goes on below, or
    // the stack would grow with every hand-back (rule 4.04).
    if isHandingBackHere { return noteNestedJob() }
    repeat {
      var batch = Batch()
      guard turns.resume(self, &batch) else { return }
      takeOver()
      serve(&batch, Budget(of: delivery))
    } while takeNestedJob()
  }

  /// A publish that found the lane of the publishing thread idle: one round, without a queue and without another turn
  /// unless something came meanwhile. The signal says "draining".
  @inline(__always)
  func deliverNow(_ item: Item, window: EntryWindow, from start: Int) {
    takeOver()
    var dead: [Int] = []
    for index in start..<window.count {
      visit(index, in: window, item, attend: { attend(item) }, foundDead: { dead.append(index) })
    }
    if dead.isEmpty, signal.finish() { return }
    carryOn(dead)
  }

  /// What `deliverNow` couldn't finish without a turn.
  @inline(never)
  private func carryOn(_ dead: [Int]) {
    // Who called may not hold the lane (see `Accepted`), and the publisher's end takes it away with its last turn.
    let lane = unsafe Unmanaged.passRetained(self)
    defer { unsafe lane.release() }
    var batch = Batch()
    batch.dead = dead
    if turns.next(self, &batch) { serve(&batch, Budget(of: delivery)) }
  }

  /// Something was asked for in the middle of a round that has no batch.
  @inline(never)
  private func attend(_ item: Item) {
    var batch = Batch()
    batch.current = item
    turns.settle(self, &batch)
  }

  private func serve(_ batch: inout Batch, _ budget: consuming Budget) {
    repeat {
      repeat {
        guard serveRound(&batch, &budget) else { return handBack(&batch) }
        if needsLook(before: batch) { turns.settle(self, &batch) }
      } while batch.startRound()
    } while turns.next(self, &batch)
  }

  /// Visits everyone whom the state is for. False when the budget is used up before the end.
  private func serveRound(_ batch: inout Batch, _ budget: inout Budget) -> Bool {
    guard let item = batch.current, let window = batch.window else { return true }
    while batch.next < window.count {
      guard budget.allowsAnother() else { return false }
      let index = batch.next
      visit(
        index, in: window, item, attend: { turns.settle(self, &batch) },
        foundDead: { batch.dead.append(index) })
      batch.next = index + 1
    }
    batch.current = nil
    return true
  }

  /// One delivery, if this subscription is to get the state: gate, weak load, call, end.
  @inline(__always)
  private func visit(
    _ index: Int, in window: EntryWindow, _ item: Item, attend: () -> Void, foundDead: () -> Void
  ) {
    window.visit(index) { subscription in
      let reading = subscription.gate.reading
      // A newcomer that has its replay from elsewhere, or that joined after this state.
      guard reading.ordinal < item.ordinal else { return }
      let newest = newest
      if newest != item.ordinal || subscription.bounds != nil {
        subscription.noteBacklog(after: reading.ordinal, newest: newest)
        if let bounds = subscription.bounds {
          guard admit(item.ordinal, by: bounds, newest: newest) else { return }
        }
      }
      guard subscription.gate.begin(item.ordinal, from: reading) else { return }
      // After the gate, which orders it behind the end of the delivery before: whoever waits for that end is told
      // now, and not when this delivery, which may take long, has ended.
      if signal.needsAttention {
        // Meanwhile this one isn't under way: who is told may cancel it, unless somebody has.
        let hasLeft = subscription.gate.leave(item.ordinal, to: reading)
        attend()
        guard !hasLeft || subscription.gate.begin(item.ordinal, from: reading) else { return }
      }
      guard call(index, in: window, subscription, item.state) else {
        subscription.gate.retract(item.ordinal, to: reading)
        return foundDead()
      }
      subscription.bounds?.delivered(item.ordinal)
      subscription.gate.end(item.ordinal)
    }
  }

  /// The subscriber is retained here and nowhere else; it is let go before the delivery ends.
  @inline(__always)
  private func call(_ index: Int, in window: EntryWindow, _ subscription: Subscription, _ state: any Stamped) -> Bool {
    guard let subscriber = subscription.subscriber else { return false }
    window.deliver(index, to: subscriber, state)
    return true
  }

  @inline(never)
  private func admit(_ ordinal: UInt64, by bounds: Bounds, newest: UInt64) -> Bool {
    defer { if bounds.rule == .oldest { raiseFullAt(to: bounds.fullAt) } }
    return bounds.admits(ordinal, newest: newest)
  }
}
