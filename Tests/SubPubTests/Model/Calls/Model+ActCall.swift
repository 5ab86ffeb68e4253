import SubPub

extension Model {
  /// `AfterTurn.act()`, and then the release of what the turn left.
  final class ActCall: Call {
    private var after: AfterTurn
    private var resumes: ArraySlice<Wakeup>
    private var wakes: ArraySlice<LaneRunner>
    /// The state that an accepted one displaced.
    private var displaced: (any Stamped)?
    /// What the function does before it lets go.
    private var rest: (any Call)?

    init(_ after: AfterTurn, displaced: (any Stamped)? = nil, then rest: (any Call)? = nil) {
      self.after = after
      self.displaced = displaced
      self.rest = rest
      resumes = after.rest?.resumes[...] ?? []
      wakes = after.wakes[...]
    }

    var need: Need { .nothing }

    var name: String {
      if !resumes.isEmpty { return "resume a waiting task" }
      if !wakes.isEmpty { return "wake a lane" }
      return "release what the turn left"
    }

    func step(_ world: World) -> Progress {
      if let wakeup = resumes.popFirst() {
        world.resume(wakeup)
        return advance(world)
      }
      if let runner = wakes.popFirst() { return wake(runner, world) }
      displaced = nil
      after = AfterTurn()
      return .ends
    }

    func advance(_ world: World) -> Progress {
      guard resumes.isEmpty, wakes.isEmpty else { return .stays }
      if let rest = rest.take() { return .calls(rest) }
      return after.hasLeftovers || displaced != nil ? .stays : .ends
    }

    /// `LaneRunner.wake()`.
    private func wake(_ runner: LaneRunner, _ world: World) -> Progress {
      let track = world.track(runner)
      if world.has(.lostWake), world.threads[world.running].lane == nil { return advance(world) }
      if track.isGone { return .calls(EndLaneCall(track)) }
      if track.runner.delivery == world.setup.suspended { return advance(world) }
      let drain = DrainCall(track, budget: world.setup.budget)
      if track.isImmediate { return .calls(drain) }
      world.spawn(drain, track)
      return advance(world)
    }

    var hasClosure: Bool { after.firstCallback != nil }

    func feed(_ digest: inout Digest, _ world: World) {
      digest.add(resumes.count)
      digest.add(wakes.map { world.track($0).number })
      digest.add(after.hasLeftovers)
      digest.add(displaced != nil)
      rest?.feed(&digest, world)
    }
  }
}
