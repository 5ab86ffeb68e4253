import SubPub

extension Model.World {
  func subject(of subscription: Subscription) -> Model.Subject? {
    subjects.first { $0.subscription === subscription }
  }

  /// Whether the subscriber and its context live.
  func isAlive(_ subject: Model.Subject) -> Bool {
    ledger.isAlive(.subscriber, subject.plan.object) && subject.track?.isGone != true
  }

  /// The subscriber's code is called.
  func begin(_ subscription: Subscription, _ item: Item, on track: Model.Track) {
    guard let subject = subject(of: subscription) else { return fail("2.03: a delivery to nobody") }
    let (number, ordinal) = (subject.number, item.ordinal)
    if (item.state as? Model.Mortal)?.version != ordinal - 1 { fail("1.02: state \(ordinal) is another state") }
    if ordinal <= subject.last { fail("1.02: \(number) gets state \(ordinal) after \(subject.last)") }
    if subscription.bounds == nil, ordinal != subject.last + 1 {
      fail("2.01: \(number) gets state \(ordinal) after \(subject.last), and skips nothing")
    }
    if let only = subject.mayBegin, only != ordinal { fail("3.02: a delivery to \(number) begins after its end") }
    if subject.isUnderWay { fail("2.02: two deliveries to \(number) at once") }
    if subjects.contains(where: { $0.isUnderWay && $0.plan.object == subject.plan.object }) {
      fail("2.06: the new subscription of one object is called while the old one is")
    }
    if !ledger.isAlive(.closure, number) { fail("3.05: the closure of \(number) is called and has gone") }
    // A successor that has waited gets what it missed when others have it already.
    let isLate = (ordinal, number) <= (track.ordinal, ordinal == track.ordinal ? track.subject : -1)
    if isLate, subject.plan.ifDuplicate != .replace {
      fail("2.07: state \(ordinal) comes to \(number) after state \(track.ordinal) came to \(track.subject)")
    }
    for other in subjects where other.track === track && ledger.isAlive(.closure, other.number) {
      guard let round = other.releasedAfter, ordinal > round, !isReleasingClosure else { continue }
      fail("3.05: the closure of \(other.number) outlives its round")
    }
    if !isLate { (track.ordinal, track.subject) = (ordinal, number) }
    (subject.last, subject.isUnderWay) = (ordinal, true)
  }

  /// States are pending in a lane that has nobody left.
  private func keepsStates(for subject: Model.Subject) -> Bool {
    registry.turn { state in
      state.lanes.contains { $0.runner === subject.track?.runner && $0.active == 0 && !$0.pending.isEmpty }
    }
  }

  /// Somebody has a closure in hand that its lane has let go of.
  private var isReleasingClosure: Bool {
    threads.contains { $0.calls.contains { ($0 as? Model.ActCall)?.hasClosure ?? false } }
  }

  /// The subscriber's code returns.
  func leave(_ subscription: Subscription) {
    guard let subject = subject(of: subscription) else { return }
    subject.isUnderWay = false
    if !ledger.isAlive(.closure, subject.number) { fail("3.05: the closure of \(subject.number) goes during its call") }
  }

  /// What a cancel returns.
  func check(_ outcome: CancelOutcome, of subject: Model.Subject, found: DeliveryGate.Reading?) {
    let isCalled = subject.isUnderWay
    let isHere = isInside(subject)
    // That of the delivery that has passed the gate, or a later one.
    let round = max(subject.track?.ordinal ?? 0, subject.mayBegin ?? 0)
    switch outcome {
    case .quiescent:
      if isCalled { fail("3.02: quiescent, and a delivery to \(subject.number) is under way") }
      if ledger.isAlive(.closure, subject.number) {
        fail("3.05: quiescent, and the closure of \(subject.number) is kept")
      }
      subject.mayBegin = 0
      if keepsStates(for: subject) { fail("3.05: quiescent, and states wait for \(subject.number) alone") }
    case .inFlight:
      if isHere { fail("3.02: inFlight from inside the delivery to \(subject.number)") }
      if threads[running].calls.contains(where: { ($0 as? Model.VisitCall)?.track === subject.track }) {
        fail("3.03: inFlight on the context of \(subject.number)")
      }
      subject.releasedAfter = round
    case .reentrant:
      if !isHere { fail("3.02: reentrant outside the delivery to \(subject.number)") }
      subject.releasedAfter = round
    case .alreadyCancelled:
      if found != nil, isAlive(subject) {
        fail("3.02: alreadyCancelled, and \(subject.number) was neither cancelled nor dead")
      }
    }
  }

  /// Whether this thread runs that subject's code.
  private func isInside(_ subject: Model.Subject) -> Bool {
    subject.isUnderWay
      && threads[running].calls.contains { ($0 as? Model.VisitCall)?.isDelivering(to: subject) ?? false }
  }
}
