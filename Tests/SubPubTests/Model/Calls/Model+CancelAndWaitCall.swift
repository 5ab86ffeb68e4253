import SubPub

extension Model {
  /// `Subscription.cancelAndWait()`.
  final class CancelAndWaitCall: Call {
    private enum Place: Int { case cancel, look, register, wait, sleep, over }

    private let subject: Subject
    private var place = Place.cancel
    private var waiter: WaiterID?

    init(_ subject: Subject) { self.subject = subject }

    var need: Need {
      switch place {
      case .register, .wait: .turn
      case .sleep: .wakeup
      case .cancel, .look, .over: .nothing
      }
    }

    var name: String {
      switch place {
      case .cancel, .over: ""
      case .look: "look whether a delivery of \(subject.number) is under way"
      case .register: "turn: ask for the end of \(subject.number)"
      case .wait: "turn: wait for it"
      case .sleep: "go on, \(subject.number) has ended"
      }
    }

    func advance(_ world: World) -> Progress {
      guard place == .cancel else { return .stays }
      place = .look
      return .calls(CancelCall(subject))
    }

    func step(_ world: World) -> Progress {
      guard let subscription = subject.subscription, let track = subject.track else { return .ends }
      switch place {
      case .look:
        guard subscription.gate.isUnderWayNow else { return over(world) }
        if track.drainer == world.running { return .ends }
        place = .register
      case .register:
        waiter = world.turn { state -> WaiterID? in
          guard subscription.gate.isUnderWayNow, track.runner.signal.raise() else { return nil }
          let waiter = state.waiters.add(missing: 1)
          state.endWaits.append((subscription, waiter))
          return waiter
        }
        guard let waiter else { return over(world) }
        world.waiters[waiter] = world.running
        place = .wait
      case .wait:
        guard let waiter else { return .ends }
        let wakeup = world.makeWakeup()
        guard world.turn({ $0.waiters.wait(waiter, wakeup) }) else { return over(world) }
        place = .sleep
      case .sleep: return over(world)
      case .cancel, .over: break
      }
      return .stays
    }

    private func over(_ world: World) -> Progress {
      if subject.isUnderWay { world.fail("3.04: cancelAndWait of \(subject.number) returns during its delivery") }
      subject.mayBegin = 0
      return .ends
    }

    func feed(_ digest: inout Digest, _ world: World) {
      digest.add(8)
      digest.add(subject.number)
      digest.add(place.rawValue)
    }
  }
}
