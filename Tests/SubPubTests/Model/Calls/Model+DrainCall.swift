import SubPub

extension Model {
  /// `LaneRunner.drain()`, and what `deliverNow` couldn't finish.
  final class DrainCall: Call, Visitor {
    private enum Place: Int { case resume, rounds, visit, look, settle, next, handBack, over }

    private let track: Track
    private var batch = Batch()
    private var budget: Int
    private var place: Place
    /// An actor is held while its lane is drained.
    private var context: Mortal?

    private var lane: LaneRunner { track.runner }

    init(_ track: Track, budget: Int) {
      self.track = track
      self.budget = track.isImmediate ? .max : budget
      place = .resume
    }

    init(_ track: Track, carryingOn dead: [Int]) {
      self.track = track
      budget = .max
      place = .next
      batch.dead = dead
    }

    var need: Need {
      switch place {
      case .look: .nothing
      default: .turn
      }
    }

    var name: String {
      switch place {
      case .resume: "turn: resume"
      case .look: "look whether somebody wants something"
      case .settle: "turn: settle"
      case .next: "turn: next"
      case .handBack: "turn: hand back"
      case .rounds, .visit, .over: ""
      }
    }

    func step(_ world: World) -> Progress {
      var after = AfterTurn()
      switch place {
      case .resume:
        if track.isGone { return .becomes(EndLaneCall(track)) }
        context = track.actor
        let found = world.turn(&after) { state, after in
          guard lane.index >= 0 else { return false }
          return state.withDrainedLane(lane, &after) { $0.resume(&batch, &$1) }
        }
        if found { world.takeOver(track) }
        place = found ? .rounds : .over
      case .look:
        if lane.needsLook(before: batch) { place = .settle } else { startRound(world) }
      case .settle:
        world.turn(&after) { $0.withDrainedLane(lane, &$1) { $0.settle(&batch, &$1) } }
        startRound(world)
      case .next:
        if world.has(.restWithoutTurn) {
          lane.signal.rest()
          return .ends
        }
        let found = world.turn(&after) { $0.withDrainedLane(lane, &$1) { $0.next(&batch, &$1) } }
        place = found ? .rounds : .over
      case .handBack:
        world.turn(&after) { $0.withDrainedLane(lane, &$1) { $0.handBack(&batch, &$1) } }
        place = .over
      case .rounds, .visit, .over: break
      }
      return world.act(after, thenIn: self)
    }

    private func startRound(_ world: World) { place = batch.startRound() ? .rounds : .next }

    func advance(_ world: World) -> Progress {
      if place == .visit {
        batch.next += 1
        place = .rounds
      }
      if place == .over { return .ends }
      guard place == .rounds else { return .stays }
      guard let item = batch.current, let window = batch.window else {
        place = .look
        return .stays
      }
      if batch.next < window.count {
        guard budget > 0 else {
          place = .handBack
          return .stays
        }
        budget -= 1
        place = .visit
        return .calls(VisitCall(batch.next, window, item, track, self))
      }
      batch.current = nil
      place = .look
      return .stays
    }

    func attend(_ world: World) -> AfterTurn {
      var after = AfterTurn()
      world.turn(&after) { $0.withDrainedLane(lane, &$1) { $0.settle(&batch, &$1) } }
      return after
    }

    func foundDead(_ index: Int) { batch.dead.append(index) }

    /// How many states of that lane it has in hand.
    func count(in lane: Track) -> Int { lane === track ? batch.queue.count : 0 }

    func feed(_ digest: inout Digest, _ world: World) {
      digest.add(5)
      digest.add(track.number)
      digest.add(place.rawValue)
      digest.add(budget)
      batch.feed(&digest)
    }
  }
}
