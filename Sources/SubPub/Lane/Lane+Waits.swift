/// Who waits until the lane has served what there was (rule 3.07).
extension Lane {
  /// Somebody waits for what there is now. False: nothing of it is left to be served.
  package mutating func await(_ ordinal: UInt64, by waiter: WaiterID) -> Bool {
    guard active > 0 else { return false }
    let isServed =
      isIteration
      ? pending.isEmpty : !runner.signal.isScheduled && !runner.noteAwaited(waits.first?.ordinal ?? ordinal)
    guard !isServed || successors?.missed.isEmpty == false else { return false }
    waits.append(ServiceWait(waiter: waiter, ordinal: ordinal, limit: entries.count))
    return true
  }

  /// A drain goes on: it looks when it has served what the first of them waits for. Later ones wait for later states.
  func noteAwaited() {
    if let first = waits.first { _ = runner.noteAwaited(first.ordinal) }
  }

  /// What a drain has in hand, and what is pending, is all that is left to be served: who waits for nothing of it is in
  /// `served` now.
  mutating func noteServed(but batch: borrowing Batch) {
    guard !waits.isEmpty else { return }
    let next = batch.upcoming ?? pending.upcoming
    release { [successors] in $0.isServed(before: next) && successors?.haveServed($0) != false }
  }

  /// A state came, and others may have given way to it: those were skipped. A drain that is under way looks itself.
  mutating func noteOvertaken() {
    guard !waits.isEmpty, runner.signal.isIdle || runner.signal.isScheduled else { return }
    noteServed(but: parked ?? Batch())
  }

  /// Entries went: nobody has to wait for a subscription that isn't there.
  mutating func noteDeparted() {
    guard !waits.isEmpty else { return }
    firsts.pass(entries)
    release { [firsts] in $0.limit <= firsts.active }
  }

  private mutating func release(_ isOver: (ServiceWait) -> Bool) {
    let over = waits.filter(isOver)
    waits.removeAll(where: isOver)
    served += over.map(\.waiter)
  }
}
