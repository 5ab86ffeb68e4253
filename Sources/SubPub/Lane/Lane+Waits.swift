/// Who waits until the lane has served what there was (rule 3.07).
extension Lane {
  /// Somebody waits for what there is now. False: nothing of it is left to be served.
  package mutating func await(_ ordinal: UInt64, by waiter: WaiterID) -> Bool {
    guard active > 0 else { return false }
    if isIteration {
      guard !pending.isEmpty else { return false }
    } else if !runner.signal.isScheduled, !runner.signal.noteAwaited() {
      return false
    }
    waits.append(ServiceWait(waiter: waiter, ordinal: ordinal, limit: entries.count))
    return true
  }

  /// Everything before that state was served, or everything; who waited for no more than that is in `served` now.
  mutating func noteServed(before upcoming: Item?) {
    guard !waits.isEmpty else { return }
    release { wait in upcoming.map { wait.ordinal < $0.ordinal } ?? true }
  }

  /// Entries went: nobody has to wait for a subscription that isn't there.
  mutating func noteDeparted() {
    guard !waits.isEmpty else { return }
    passClosed()
    release { [firstActive] in $0.limit <= firstActive }
  }

  private mutating func release(_ isOver: (ServiceWait) -> Bool) {
    let over = waits.filter(isOver)
    waits.removeAll(where: isOver)
    served += over.map(\.waiter)
  }
}
