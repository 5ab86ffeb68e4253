extension PublisherRegistry: LaneTurns {
  nonisolated func resume(_ lane: LaneRunner, _ batch: inout Batch) -> Bool {
    turnAndAct { state, after in
      guard lane.index >= 0 else { return false }
      return state.withDrainedLane(lane, &after) { $0.resume(&batch, &$1) }
    }
  }

  nonisolated func next(_ lane: LaneRunner, _ batch: inout Batch) -> Bool {
    turnAndAct { state, after in state.withDrainedLane(lane, &after) { $0.next(&batch, &$1) } }
  }

  nonisolated func settle(_ lane: LaneRunner, _ batch: inout Batch) {
    turnAndAct { state, after in state.withDrainedLane(lane, &after) { $0.settle(&batch, &$1) } }
  }

  nonisolated func handBack(_ lane: LaneRunner, _ batch: inout Batch) {
    var after = AfterTurn()
    turn { state in
      state.handBacks.append((lane, .current))
      state.withDrainedLane(lane, &after) { $0.handBack(&batch, &$1) }
    }
    // On a concurrent queue the lane goes on at once: what went with the round is gone by then (rule 3.05).
    after.letGo()
    after.act()
    turn { state in
      if let index = state.handBack(of: lane) { state.handBacks.remove(at: index) }
    }
  }

  nonisolated func isHandingBackHere(_ lane: LaneRunner) -> Bool { turn { $0.handBack(of: lane) } != nil }

  nonisolated func end(_ lane: LaneRunner) {
    turnAndAct { state, after in state.end(lane, &after) }
  }

  nonisolated func cancel(_ subscription: Subscription, in lane: LaneRunner) -> CancelOutcome {
    // Before the turn, as the closure that goes with it may be the last to hold the subscriber. Once that is gone no
    // delivery is under way: it would hold the subscriber.
    let isAlive = subscription.isAlive
    let found = turnAndAct { state, after in state.cancel(subscription, &after) }
    guard let found, isAlive else { return .alreadyCancelled }
    guard found.isUnderWay else { return .quiescent }
    return lane.isDeliveringHere ? .reentrant : .inFlight
  }

  nonisolated func waitForEnd(of subscription: Subscription, in lane: LaneRunner) async {
    let waiter = turn { state -> WaiterID? in
      // The drain looks before its next delivery; if there is no drain, the delivery has ended.
      guard subscription.gate.isUnderWayNow, lane.signal.raise() else { return nil }
      let waiter = state.waiters.add(missing: 1)
      state.endWaits.append((subscription, waiter))
      return waiter
    }
    if let waiter { await wait(for: waiter) }
  }
}

extension RegistryState {
  /// Where it is noted that this thread hands that lane back.
  fileprivate func handBack(of lane: LaneRunner) -> Int? {
    handBacks.firstIndex { $0.lane === lane && $0.thread == .current }
  }
}
