/// States that no subscription will receive (3.05).
extension LaneState {
  /// Drops them from the batch of the calling thread, which serves the lane, and from the pending states.
  mutating func trim(_ batch: inout StateQueue, newest: UInt64, _ effects: inout Effects) {
    trim(newest: newest, &effects)
    batch.drop(before: firstVersion, newest: newest, unwantedBy: subscriptions, &effects)
  }

  /// Drops them from the pending states.
  mutating func trim(newest: UInt64, _ effects: inout Effects) {
    // New subscriptions are appended, so this takes amortized constant time.
    while firstOpen < subscriptions.count, !subscriptions[firstOpen].gate.isOpen { firstOpen += 1 }
    if openCount == 0, pending.count > 1 {
      // Together, however many there are.
      effects.releaseAll(in: pending)
      pending = StateQueue()
    }
    pending.drop(before: firstVersion, newest: newest, unwantedBy: subscriptions, &effects)
    if awaitsCurrent {
      let slot = openCount == 0 ? nil : subscriptions.slot(awaiting: newest, from: pending.firstSlot, newest: newest)
      (awaitsCurrent, pending.firstSlot) = (slot != nil, slot ?? 0)
    }
  }

  /// The version from which on remaining subscriptions may need states: they are in the order of joining.
  private var firstVersion: UInt64 { openCount == 0 ? .max : subscriptions[firstOpen].joinVersion }
}

extension StateQueue {
  /// Drops states before a version, and those at the front that no subscription from their slot on receives.
  fileprivate mutating func drop(
    before first: UInt64, newest: UInt64, unwantedBy subscriptions: SubscriptionList, _ effects: inout Effects
  ) {
    while let version = firstVersion {
      let slot = version < first ? nil : subscriptions.slot(awaiting: version, from: firstSlot, newest: newest)
      if let slot {
        firstSlot = slot
        return
      }
      if let state = popFirst() { effects.release(state.state) }
    }
  }
}

extension SubscriptionList {
  /// The first slot, from one on, whose subscription receives a state; 0 stands for all, who needn't be looked at.
  fileprivate func slot(awaiting version: UInt64, from slot: Int, newest: UInt64) -> Int? {
    if slot == 0 { return 0 }
    return (slot..<max(slot, count)).first {
      let reading = self[$0].gate.reading
      return !reading.isClosed && self[$0].awaitsState(upTo: version, at: reading, newest: newest)
    }
  }
}

extension Lane {
  /// Drops the oldest pending states beyond those that the policy keeps.
  @inline(__always)
  func dropSurplus(_ effects: inout Effects) {
    while inTurn.pending.count > keptCount, let state = inTurn.pending.popFirst() { effects.release(state.state) }
  }
}
