/// A lane that nobody drains: an iterating task comes and takes.
extension Lane {
  /// What an iterator's `next()` found.
  package enum Taken {
    case state(Item)
    case nothing
    case ended
  }

  /// What came of an iterator's wish to wait.
  package enum Parked {
    case waits
    case needNotWait
    case isTaken
  }

  /// The iterating task waits, unless there is something to take, or nothing more to come.
  mutating func park(_ wakeup: Wakeup) -> Parked {
    guard active > 0, !isClosing, pending.isEmpty else { return .needNotWait }
    guard reader == nil else { return .isTaken }
    reader = wakeup
    return .waits
  }

  /// The next state for the iterator. Begins and ends a delivery within the turn.
  package mutating func take(_ after: inout AfterTurn) -> Taken {
    let subscription = entries[0]
    guard subscription.gate.closedAt == nil else { return .ended }
    defer { if !waits.isEmpty { noteServed(but: Batch()) } }
    while let item = pending.popFirst() {
      let reading = subscription.gate.reading
      subscription.noteBacklog(after: reading.ordinal, newest: runner.newest)
      if let bounds = subscription.bounds {
        guard bounds.admits(item.ordinal, newest: runner.newest) else {
          after.release(item.state)
          continue
        }
        bounds.delivered(item.ordinal)
        if bounds.rule == .oldest { runner.raiseFullAt(to: bounds.fullAt) }
      }
      subscription.gate.pass(item.ordinal)
      return .state(item)
    }
    return isClosing ? .ended : .nothing
  }
}
