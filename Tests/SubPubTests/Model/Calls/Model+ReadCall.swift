import SubPub

extension Model {
  /// `PublisherRegistry.next(_:)`, again and again until the end.
  final class ReadCall: Call {
    private enum Place: Int { case take, park, sleep }

    private let subject: Subject
    private var place = Place.take

    init(_ subject: Subject) { self.subject = subject }

    var need: Need { place == .sleep ? .wakeup : .turn }

    var name: String {
      switch place {
      case .take: "turn: take a state"
      case .park: "turn: wait for a state"
      case .sleep: "go on"
      }
    }

    func step(_ world: World) -> Progress {
      guard let subscription = subject.subscription, let track = subject.track else { return .ends }
      switch place {
      case .take:
        var after = AfterTurn()
        let wasOpen = subject.mayBegin == nil
        let taken = world.turn(&after) { state, after -> Lane.Taken in
          guard track.runner.index >= 0 else { return .ended }
          return state.withLane(track.runner, &after) { $0.take(&$1) }
        }
        switch taken {
        case .state(let item):
          // The turn that takes the last state ends the subscription too.
          if wasOpen, subject.mayBegin != nil { subject.mayBegin = item.ordinal }
          world.begin(subscription, item, on: track)
          world.leave(subscription)
          subject.count += 1
        case .nothing: place = .park
        case .ended:
          checkEnd(world)
          return .becomes(ActCall(after))
        }
        return world.act(after, thenIn: self)
      case .park:
        let wakeup = world.makeWakeup()
        switch world.turn({ $0.park(wakeup, in: track.runner) }) {
        case .waits: place = .sleep
        case .needNotWait: place = .take
        case .isTaken: world.fail("6.01: two tasks wait in one iterator")
        }
      case .sleep: place = .take
      }
      return .stays
    }

    private func checkEnd(_ world: World) {
      if !subject.isCancelled, subject.last < world.registry.turn({ $0.newest }) {
        world.fail("6.03: the sequence ends before its last state")
      }
    }

    /// Nothing has to come: a sequence that goes on.
    var mayWait: Bool { place == .sleep && subject.mayBegin == nil }

    func feed(_ digest: inout Digest, _ world: World) {
      digest.add(12)
      digest.add(place.rawValue)
    }
  }
}
