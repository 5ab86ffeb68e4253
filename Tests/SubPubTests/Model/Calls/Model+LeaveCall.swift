import SubPub

extension Model {
  /// Somebody lets go of the publisher; the last one runs its `deinit`.
  final class LeaveCall: Call {
    private var isLast = false

    var need: Need { isLast ? .turn : .nothing }
    var name: String { isLast ? "turn: the publisher's end" : "release the publisher" }

    func step(_ world: World) -> Progress {
      if isLast {
        var after = AfterTurn()
        world.turn(&after) { $0.end(&$1) }
        return .becomes(ActCall(after))
      }
      world.owners -= 1
      isLast = world.owners == 0
      return isLast ? .stays : .ends
    }

    func feed(_ digest: inout Digest, _ world: World) {
      digest.add(10)
      digest.add(isLast)
    }
  }
}
