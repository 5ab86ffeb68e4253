extension PublisherRegistry {
  /// Waits for the next state of an iterator.
  ///
  /// Returns nil at the end, and if the task is cancelled, which cancels the subscription.
  nonisolated func next(_ subscription: Subscription) async -> (any BoxedPublication)? {
    while true {
      guard !Task.isCancelled else {
        subscription.cancel()
        return nil
      }
      switch take(for: subscription) {
      case .state(let state): return state
      case .end: return nil
      case .suspend: await waitForState(of: subscription)
      }
    }
  }

  /// Returns the next state of an iterator if it is pending.
  nonisolated func takePending(for subscription: Subscription) -> (any BoxedPublication)? {
    if case .state(let state) = take(for: subscription) { state } else { nil }
  }

  private nonisolated func take(for subscription: Subscription) -> Lane.NextAction {
    let lane = subscription.lane
    let action = perform { state, effects in
      state.withLane(ifPresent: lane, &effects) { lane.takeForIterator(&$0) } ?? .end
    }
    if case .state = action, let pace = lane.pace { lane.rest(for: pace.interval) }
    return action
  }

  private nonisolated func waitForState(of subscription: Subscription) async {
    await SuspendedTask.wait { task in
      switch turn({ _ in subscription.lane.suspend(task) }) {
      case .suspended: return true
      case .resume: return false
      case .misuse:
        stopForMisuse("Two tasks await one iterator of \(source): give each task an iterator of its own")
      }
    } onCancel: {
      subscription.cancel()
    }
  }

  /// Registers a sequence, which may ask for the last state after the publisher's end, or for the history.
  nonisolated func retainLastState(andHistory keepsHistory: Bool) {
    turn { state in
      state.sequenceCount += 1
      if keepsHistory { state.resumingCount += 1 }
    }
  }

  nonisolated func releaseLastState(andHistory keepsHistory: Bool) {
    perform { state, effects in
      state.sequenceCount -= 1
      if keepsHistory { state.resumingCount -= 1 }
      state.dropLastState(&effects)
    }
  }
}
