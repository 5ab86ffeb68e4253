extension RegistryState {
  /// Closes the subscription's gate and takes it off its lane. Nil if it had ended before.
  @discardableResult
  package mutating func cancel(_ subscription: Subscription, _ after: inout AfterTurn) -> DeliveryGate.Reading? {
    guard let runner = subscription.host as? LaneRunner, let found = subscription.gate.close(at: newest) else {
      return nil
    }
    if found.isWaiting {
      // Nobody waits for its predecessors any more.
      after.releaseAll(in: holds.filter { $0.successor === subscription })
      holds.removeAll { $0.successor === subscription }
    }
    withLane(runner, &after) { lane, after in lane.cancel(subscription, found: found, &after) }
    return found
  }

  /// The publisher is gone: what is pending is delivered, then everything ends (rule 3.06).
  package mutating func end(_ after: inout AfterTurn) {
    isEnded = true
    dropLastState(&after)
    index.clear(&after)
    // A lane that ends at once is replaced by the last one.
    for index in lanes.indices.reversed() {
      withLane(lanes[index].runner, &after) { lane, _ in
        lane.isClosing = true
        // A drain that could end without a turn must take one.
        _ = lane.runner.signal.noteMore()
      }
    }
  }

  /// After the end only a sequence can still ask for the last state.
  mutating func dropLastState(_ after: inout AfterTurn) {
    guard isEnded, sequences == 0, let last = current.take() else { return }
    after.release(last)
  }

  /// The lane's context is gone.
  package mutating func end(_ runner: LaneRunner, _ after: inout AfterTurn) {
    guard runner.index >= 0 else { return }
    withLane(runner, &after) { lane, after in
      lane.close(&after)
      lane.runner.signal.rest()
    }
  }
}
