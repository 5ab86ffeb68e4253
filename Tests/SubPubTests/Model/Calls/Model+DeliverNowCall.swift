import SubPub

extension Model {
  /// `LaneRunner.deliverNow`: one round on the publishing thread, without a batch.
  final class DeliverNowCall: Call, Visitor {
    private let track: Track
    private let item: Item
    private let window: EntryWindow
    private var index: Int
    private var dead: [Int] = []

    init(_ item: Item, _ window: EntryWindow, from start: Int, on track: Track) {
      self.item = item
      self.window = window
      self.track = track
      index = start - 1
    }

    var need: Need { .nothing }
    var name: String { "end the round, if nothing came" }

    func advance(_ world: World) -> Progress {
      world.takeOver(track)
      index += 1
      if index < window.count { return .calls(VisitCall(index, window, item, track, self)) }
      return dead.isEmpty ? .stays : carryOn
    }

    func step(_ world: World) -> Progress {
      if track.runner.signal.finish() { return .ends }
      if world.has(.endWithoutAsking) {
        track.runner.signal.rest()
        return .ends
      }
      return carryOn
    }

    private var carryOn: Progress { .becomes(DrainCall(track, carryingOn: dead)) }

    func attend(_ world: World) -> AfterTurn {
      var batch = Batch()
      batch.current = item
      var after = AfterTurn()
      world.turn(&after) { $0.withDrainedLane(track.runner, &$1) { $0.settle(&batch, &$1) } }
      return after
    }

    func foundDead(_ index: Int) { dead.append(index) }

    func feed(_ digest: inout Digest, _ world: World) {
      digest.add(4)
      digest.add(track.number)
      digest.add(item.ordinal)
      digest.add(window.count)
      digest.add(index)
      digest.add(dead)
    }
  }
}
