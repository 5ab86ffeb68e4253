extension PublisherRegistry {
  /// The next state of an iterator, waiting for it if there is none. Nil at the end, and when the task is cancelled:
  /// then the subscription is cancelled with it.
  nonisolated func next(_ subscription: Subscription) async -> (any Stamped)? {
    guard let lane = subscription.host as? LaneRunner else { return nil }
    while true {
      guard !Task.isCancelled else {
        subscription.cancel()
        return nil
      }
      switch take(in: lane) {
      case .state(let item): return item.state
      case .ended: return nil
      case .nothing: await waitForState(of: subscription, in: lane)
      }
    }
  }

  private nonisolated func take(in lane: LaneRunner) -> Lane.Taken {
    turnAndAct { state, after in
      guard lane.index >= 0 else { return .ended }
      return state.withLane(lane, &after) { $0.take(&$1) }
    }
  }

  private nonisolated func waitForState(of subscription: Subscription, in lane: LaneRunner) async {
    await withTaskCancellationHandler {
      unsafe await withUnsafeContinuation { continuation in
        let wakeup = unsafe Wakeup(continuation)
        switch turn({ $0.park(wakeup, in: lane) }) {
        case .waits: break
        case .needNotWait: wakeup.resume()
        case .isTaken:
          stopForMisuse("Two tasks await one iterator of \(source): give each an iterator of its own")
        }
      }
    } onCancel: {
      subscription.cancel()
    }
  }

  /// A sequence may still ask for the last state after the publisher's end.
  nonisolated func retainLastState() { turn { $0.sequences += 1 } }

  nonisolated func releaseLastState() {
    turnAndAct { state, after in
      state.sequences -= 1
      state.dropLastState(&after)
    }
  }
}

extension RegistryState {
  /// The iterating task waits, unless there is something to take, or nothing more to come.
  package mutating func park(_ wakeup: Wakeup, in runner: LaneRunner) -> Lane.Parked {
    guard runner.index >= 0 else { return .needNotWait }
    return lanes[runner.index].park(wakeup)
  }
}
