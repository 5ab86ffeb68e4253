import SubPub

extension Model {
  /// Who goes through the entries.
  protocol Visitor: AnyObject {
    /// The turn that somebody asked for.
    func attend(_ world: World) -> AfterTurn
    func foundDead(_ index: Int)
  }

  /// `LaneRunner.visit`: one delivery.
  final class VisitCall: Call {
    private enum Place: Int {
      case read, enter, look, leave, attention, aside, settle, load, inside, end, retract, over
    }

    private let index: Int
    private let window: EntryWindow
    private let item: Item
    let track: Track
    private let visitor: any Visitor
    private let subscription: Subscription
    private var reading: DeliveryGate.Reading
    private var subscriber: (any AnyObject & Sendable)?
    private var isDead = false
    private var hasAttended = false
    private var hasLeft = false
    private var place = Place.read

    init(_ index: Int, _ window: EntryWindow, _ item: Item, _ track: Track, _ visitor: any Visitor) {
      self.index = index
      self.window = window
      self.item = item
      self.track = track
      self.visitor = visitor
      var visited: Subscription?
      window.visit(index) { visited = $0 }
      subscription = visited!
      reading = subscription.gate.reading
    }

    var need: Need { place == .settle ? .turn : .nothing }

    var name: String {
      let what =
        switch place {
        case .read: subscription.bounds == nil ? "read the gate" : "read the gate, ask the bound"
        case .enter: "enter"
        case .look: "second look at the gate"
        case .leave: "leave the gate, unless a cancel has marked it"
        case .attention: "look for attention"
        case .aside: "leave the gate for the turn, unless a cancel has marked it"
        case .settle: "turn: settle"
        case .load: "load the subscriber, begin"
        case .inside: "the code returns, release the subscriber"
        case .end: "end"
        case .retract: "retract"
        case .over: ""
        }
      return "state \(item.ordinal), entry \(index): \(what)"
    }

    func step(_ world: World) -> Progress {
      switch place {
      case .read: return read()
      case .enter:
        guard subscription.gate.enter(item.ordinal, from: reading) else { return .ends }
        place = .look
      case .look:
        let isOpen = subscription.gate.isStillOpen || world.has(.noSecondLook)
        place = isOpen ? (hasAttended ? .load : .attention) : .leave
      case .leave:
        if subscription.gate.leave(item.ordinal, to: reading) { return .ends }
        place = hasAttended ? .load : .attention
      case .attention: place = track.runner.signal.needsAttention && !world.has(.noAttention) ? .aside : .load
      case .aside:
        hasLeft = subscription.gate.leave(item.ordinal, to: reading)
        place = .settle
      case .settle:
        hasAttended = true
        place = hasLeft ? .enter : .load
        return world.act(visitor.attend(world), thenIn: self)
      case .load: return load(world)
      case .inside: leave(world)
      case .end:
        if !world.has(.earlyEnd) { end(world) }
        return .ends
      case .retract:
        subscription.gate.retract(item.ordinal, to: reading)
        if isDead { visitor.foundDead(index) }
        return .ends
      case .over: return .ends
      }
      return .stays
    }

    /// The word, and the newest state: what is accepted between the two may as well be accepted before both.
    private func read() -> Progress {
      reading = subscription.gate.reading
      guard reading.ordinal < item.ordinal else { return .ends }
      place = .enter
      let newest = track.runner.newest
      guard newest != item.ordinal || subscription.bounds != nil else { return .stays }
      subscription.noteBacklog(after: reading.ordinal, newest: newest)
      guard let bounds = subscription.bounds else { return .stays }
      let isAdmitted = bounds.admits(item.ordinal, newest: newest)
      if bounds.rule == .oldest { track.runner.raiseFullAt(to: bounds.fullAt) }
      return isAdmitted ? .stays : .ends
    }

    private func load(_ world: World) -> Progress {
      guard let loaded = subscription.subscriber else {
        (place, isDead) = (.retract, true)
        return .stays
      }
      subscriber = loaded
      place = .inside
      world.begin(subscription, item, on: track)
      window.deliver(index, to: loaded, item.state)
      guard let subject = world.subject(of: subscription) else { return .stays }
      if world.ledger.takeCall() != subject.number { world.fail("2.03: another subscriber's code ran") }
      if world.has(.earlyEnd) { end(world) }
      if let actions = subject.plan.script[item.ordinal] { return .calls(Program(actions)) }
      return .stays
    }

    private func leave(_ world: World) {
      world.leave(subscription)
      subscriber = nil
      place = .end
    }

    private func end(_ world: World) {
      subscription.bounds?.delivered(item.ordinal)
      subscription.gate.end(item.ordinal)
      world.subject(of: subscription)?.count += 1
    }

    func isDelivering(to subject: Subject) -> Bool { place == .inside && subscription === subject.subscription }

    func feed(_ digest: inout Digest, _ world: World) {
      digest.add(6)
      digest.add(index)
      digest.add(item.ordinal)
      digest.add(place.rawValue)
      digest.add(place == .read ? 0 : reading.bits)
      digest.add(isDead)
      digest.add(hasAttended)
      digest.add(hasLeft)
    }
  }
}
