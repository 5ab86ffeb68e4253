import SubPub

extension Model.World {
  /// Nobody can go on: everything has to be done (rule 1.03), and nothing kept (rule 3.05).
  func checkEnd() {
    for (index, thread) in threads.enumerated() where !thread.isOver {
      if let reader = thread.calls.last as? Model.ReadCall, reader.mayWait { continue }
      fail("\(inTurn == index ? "1.04" : "3.04, 3.07"): \(thread.name) waits for ever")
    }
    registry.turn { state in
      for lane in state.lanes where lane.runner.delivery != setup.suspended { checkRest(lane) }
      if !state.endWaits.isEmpty { fail("3.04: somebody is still waited for") }
      if !state.holds.isEmpty { fail("2.06: a lane is still held") }
      let open = subjects.filter { $0.subscription.map { $0.gate.closedAt == nil } ?? false }
      if state.active != open.count { fail("2.05: \(state.active) are counted, and \(open.count) are there") }
      if state.isEnded, !open.isEmpty { fail("3.06: \(open[0].number) outlives its publisher") }
      for subject in subjects { checkRest(subject, state.newest) }
      let kept = ledger.states - (state.current == nil ? 0 : 1)
      if kept > 0 { fail("3.05: \(kept) states are kept, and nobody waits for them") }
    }
  }

  private func checkRest(_ lane: borrowing Lane) {
    let number = track(lane.runner).number
    if !lane.pending.isEmpty { fail("1.03: \(lane.pending.count) states wait in lane \(number), and nobody comes") }
    if !lane.runner.signal.isIdle { fail("1.03: lane \(number) doesn't rest, and nobody comes") }
    if lane.parked != nil { fail("1.03: lane \(number) was put aside, and nobody comes") }
    if !lane.retiring.isEmpty { fail("3.05: lane \(number) keeps closures of cancelled entries") }
    if !lane.waits.isEmpty { fail("3.07: lane \(number) is still waited for") }
    if lane.successors != nil { fail("2.06: a successor in lane \(number) still waits") }
  }

  private func checkRest(_ subject: Model.Subject, _ newest: UInt64) {
    guard let subscription = subject.subscription else { return }
    let (number, isClosed) = (subject.number, subscription.gate.closedAt != nil)
    let isAlive = isAlive(subject)
    if isAlive, !subject.isCancelled, subject.last != newest {
      fail("1.03: \(number) ends with state \(subject.last), the newest is \(newest)")
    }
    if !isAlive, !isClosed, subject.last < newest { fail("2.05: \(number) is dead, was served, and is still there") }
    if isClosed, ledger.isAlive(.closure, number) { fail("3.05: the closure of \(number) is kept") }
    if isAlive, subject.isCancelled, let only = subject.mayBegin, subject.last < only {
      fail("3.02: a delivery of state \(only) to \(number) was under way, and never took place")
    }
    if subscription.gate.reading.isUnderWay { fail("2.02: a delivery to \(number) never ends") }
  }
}
