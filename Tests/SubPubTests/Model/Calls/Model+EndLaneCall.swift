import SubPub

extension Model {
  /// `PublisherRegistry.end(_:)`: the lane's context is gone.
  final class EndLaneCall: Call {
    private let track: Track

    init(_ track: Track) { self.track = track }

    var need: Need { .turn }
    var name: String { "turn: the end of the lane" }

    func step(_ world: World) -> Progress {
      var after = AfterTurn()
      world.turn(&after) { $0.end(track.runner, &$1) }
      return .becomes(ActCall(after))
    }

    func feed(_ digest: inout Digest, _ world: World) { digest.add(14) }
  }
}
