import SubPub

extension Model {
  /// `PublisherRegistry.drain()`: waits until everyone was served.
  final class AwaitDrainCall: Call {
    private enum Place: Int { case register, wait, sleep }

    private var place = Place.register
    private var waiter: WaiterID?
    /// The newest state at the call, and who was there.
    private var newest: UInt64 = 0
    private var present: [Subject] = []

    var need: Need { place == .sleep ? .wakeup : .turn }

    var name: String {
      switch place {
      case .register: "turn: ask until everyone is served"
      case .wait: "turn: wait for it"
      case .sleep: "go on, everyone is served"
      }
    }

    func step(_ world: World) -> Progress {
      switch place {
      case .register:
        waiter = world.turn { state -> WaiterID? in
          let waiter = state.waiters.add(missing: 0)
          var missing = 0
          for index in state.lanes.indices where state.lanes[index].await(state.newest, by: waiter) { missing += 1 }
          newest = state.newest
          return state.waiters.expect(missing, of: waiter)
        }
        present = world.subjects.filter { $0.subscription?.gate.closedAt == nil && $0.subscription != nil }
        guard let waiter else { return over(world) }
        world.waiters[waiter] = world.running
        place = .wait
      case .wait:
        guard let waiter else { return .ends }
        let wakeup = world.makeWakeup()
        guard world.turn({ $0.waiters.wait(waiter, wakeup) }) else { return over(world) }
        place = .sleep
      case .sleep: return over(world)
      }
      return .stays
    }

    private func over(_ world: World) -> Progress {
      for subject in present where !isServed(subject, world) {
        world.fail("3.07: drain() returns before \(subject.number) was served up to \(newest)")
      }
      return .ends
    }

    private func isServed(_ subject: Subject, _ world: World) -> Bool {
      guard subject.mayBegin == nil, world.isAlive(subject),
        let subscription = subject.subscription
      else { return true }
      if subject.isUnderWay, subject.last <= newest { return false }
      // A bound may have skipped the state for a later one.
      return subject.last >= newest || (subscription.bounds != nil && world.registry.turn { $0.newest } > newest)
    }

    func feed(_ digest: inout Digest, _ world: World) {
      digest.add(11)
      digest.add(place.rawValue)
      digest.add(newest)
      digest.add(present.map(\.number))
    }
  }
}
