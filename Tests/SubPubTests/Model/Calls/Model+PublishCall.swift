import SubPub

extension Model {
  /// `PublisherRegistry.publish(_:)`.
  final class PublishCall: Call {
    var need: Need { .turn }
    var name: String { "turn: accept a state" }

    func step(_ world: World) -> Progress {
      let state = world.makeState()
      var after = AfterTurn()
      let accepted = world.turn(&after) { $0.accept(state, replays: true, &$1) }
      var round: DeliverNowCall?
      accepted.serve { runner, window in
        let item = Item(state: state, ordinal: accepted.ordinal)
        round = DeliverNowCall(item, window, from: 0, on: world.track(runner))
      }
      return .becomes(ActCall(after, displaced: accepted.displaced, then: round))
    }

    func feed(_ digest: inout Digest, _ world: World) { digest.add(2) }
  }
}
