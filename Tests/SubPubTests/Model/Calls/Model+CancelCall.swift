import SubPub

extension Model {
  /// `Subscription.cancel()`, with the stores at the gate one by one.
  final class CancelCall: Call {
    private enum Place: Int { case enter, mark, leave, look, over }

    private let subject: Subject
    private var place = Place.enter
    private var found: DeliveryGate.Reading?

    init(_ subject: Subject) { self.subject = subject }

    var need: Need { place == .enter ? .turn : .nothing }

    var name: String {
      switch place {
      case .enter: "cancel \(subject.number): enter the turn, close the gate"
      case .mark: "cancel \(subject.number): mark the gate"
      case .leave: "cancel \(subject.number): take it off its lane, leave the turn"
      case .look: "cancel \(subject.number): return the outcome"
      case .over: ""
      }
    }

    func step(_ world: World) -> Progress {
      guard let subscription = subject.subscription, let track = subject.track else { return .ends }
      switch place {
      case .enter:
        guard subscription.gate.closedAt == nil else {
          place = .look
          return .stays
        }
        world.inTurn = world.running
        if !world.has(.noClose) { subscription.gate.shut(at: world.registry.turn { $0.newest }) }
        subject.isCancelled = true
        place = .mark
      case .mark:
        let found = subscription.gate.mark()
        self.found = found
        // Exactly the one that was found.
        world.close(subject, found: found)
        place = .leave
      case .leave:
        guard let found else { return .ends }
        world.inTurn = nil
        place = .look
        var after = AfterTurn()
        world.turn(&after) { state, after in
          state.withLane(track.runner, &after) { $0.cancel(subscription, found: found, &$1) }
        }
        return world.act(after, thenIn: self)
      case .look:
        world.check(outcome(subscription, track, world), of: subject, found: found)
        return .ends
      case .over: return .ends
      }
      return .stays
    }

    private func outcome(_ subscription: Subscription, _ track: Track, _ world: World) -> CancelOutcome {
      guard let found, subscription.isAlive, !track.isGone else { return .alreadyCancelled }
      let isUnderWay = world.has(.lateOutcome) ? subscription.gate.isUnderWayNow : found.isUnderWay
      guard isUnderWay else { return .quiescent }
      return track.drainer == world.running ? .reentrant : .inFlight
    }

    func feed(_ digest: inout Digest, _ world: World) {
      digest.add(7)
      digest.add(subject.number)
      digest.add(place.rawValue)
      digest.add(found?.bits ?? .max)
    }
  }
}
