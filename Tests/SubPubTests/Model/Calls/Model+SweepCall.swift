import SubPub

extension Model {
  /// `PublisherRegistry.sweep()`: a count that looks for the dead.
  final class SweepCall: Call {
    private enum Place: Int { case collect, look, retire }

    private var place = Place.collect
    private var found: [Subscription] = []

    var need: Need { place == .look ? .nothing : .turn }

    var name: String {
      switch place {
      case .collect: "turn: list the subscriptions"
      case .look: "look who is alive"
      case .retire: "turn: end the dead"
      }
    }

    func step(_ world: World) -> Progress {
      switch place {
      case .collect:
        found = world.turn { $0.lanes.flatMap(\.subscriptions) }
        place = .look
      case .look:
        found = found.filter { !$0.isAlive || world.subject(of: $0)?.track?.isGone ?? false }
        if found.isEmpty { return .ends }
        place = .retire
      case .retire:
        var after = AfterTurn()
        world.turn(&after) { state, after in
          for subscription in found { state.cancel(subscription, &after) }
        }
        return .becomes(ActCall(after))
      }
      return .stays
    }

    func feed(_ digest: inout Digest, _ world: World) {
      digest.add(13)
      digest.add(place.rawValue)
      digest.add(found.map { world.subject(of: $0)?.number ?? -1 })
    }
  }
}
