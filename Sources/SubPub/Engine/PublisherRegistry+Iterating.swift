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
      case .state(let state):
        if let pace = subscription.lane.pace { subscription.lane.rest(for: pace.interval) }
        return state.state
      case .end: return nil
      case .suspend: await waitForState(of: subscription)
      }
    }
  }

  private nonisolated func take(for subscription: Subscription) -> Lane.NextAction {
    perform { state, effects in
      let lane = subscription.lane
      return lane.inTurn.index < 0 ? .end : state.withLane(lane, &effects) { lane.takeForIterator(&$0) }
    }
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

  /// Registers a sequence, which may ask for the last state after the publisher's end.
  nonisolated func retainLastState() { turn { $0.sequenceCount += 1 } }

  nonisolated func releaseLastState() {
    perform { state, effects in
      state.sequenceCount -= 1
      state.dropLastState(&effects)
    }
  }
}
