import SubPub

extension Model.World {
  /// One turn. What dies in it breaks rule 1.04.
  func turn<R>(_ body: (inout RegistryState) -> R) -> R {
    ledger.turn(true)
    let result = registry.turn(body)
    ledger.turn(false)
    noteTurn()
    return result
  }

  /// A turn that leaves something to do.
  func turn<R>(_ after: inout AfterTurn, _ body: (inout RegistryState, inout AfterTurn) -> R) -> R {
    turn { state in
      let result = body(&state, &after)
      if has(.releaseInTurn), after.wakes.isEmpty, after.rest == nil { after = AfterTurn() }
      return result
    }
  }

  /// Does what a turn left to do, and then goes on with `call`.
  func act(_ after: AfterTurn, thenIn call: any Model.Call) -> Model.Progress {
    after.isNothing ? call.advance(self) : .calls(Model.ActCall(after))
  }

  private func noteTurn() {
    if ledger.sawDeathInTurn { fail("1.04: something foreign was released inside a turn") }
    for subject in subjects {
      guard let subscription = subject.subscription, subject.mayBegin == nil, subscription.gate.closedAt != nil else {
        continue
      }
      close(subject, found: subscription.gate.reading)
    }
  }

  /// The subject's gate was closed, and this is what it found.
  func close(_ subject: Model.Subject, found: DeliveryGate.Reading) {
    subject.mayBegin = found.isUnderWay ? found.ordinal : 0
    if !isEnded { subject.isCancelled = true }
  }

  private var isEnded: Bool { registry.turn { $0.isEnded } }

  func takeOver(_ track: Model.Track) { track.drainer = running }

  func track(_ runner: LaneRunner) -> Model.Track {
    if let known = tracks.first(where: { $0.runner === runner }) { return known }
    fatalError("the model doesn't know this lane")
  }

  /// A continuation of nobody: the number of the thread that waits.
  func makeWakeup() -> Wakeup {
    let bits = UInt(running + 1)
    return unsafe Wakeup(unsafeBitCast(bits, to: UnsafeContinuation<Void, Never>.self))
  }

  func resume(_ wakeup: Wakeup) {
    let thread = Int(unsafe unsafeBitCast(wakeup.continuation, to: UInt.self)) - 1
    if threads[thread].isResumed { fail("a task is resumed twice") }
    threads[thread].isResumed = true
  }
}

extension AfterTurn {
  var isNothing: Bool { firstWake == nil && (rest?.resumes.isEmpty ?? true) && !hasLeftovers }

  var hasLeftovers: Bool { firstObject != nil || firstCallback != nil || !(rest?.leftovers.isEmpty ?? true) }

  /// Everything to be woken, in order.
  var wakes: [LaneRunner] { (firstWake.map { [$0] } ?? []) + (rest?.wakes ?? []) }
}
