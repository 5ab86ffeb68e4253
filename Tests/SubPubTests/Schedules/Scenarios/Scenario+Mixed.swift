extension Scenario {
  /// Every kind of lane at once.
  static let mixed = Scenario("mixed lanes") { simulation in
    let contexts = [
      simulation.immediate, simulation.serialQueue(), simulation.concurrentQueue(independent: false),
      simulation.concurrentQueue(independent: true), simulation.executor(), simulation.manualExecutor(),
      simulation.actor(),
    ]
    func anywhere(_ simulation: Simulation) -> Context { contexts[simulation.draw(contexts.count)] }
    let first = simulation.subscribe(on: anywhere(simulation))
    simulation.client {
      for _ in 0..<3 { $0.publish() }
    }
    simulation.client {
      let second = $0.subscribe(on: anywhere($0)) { if $0.draw(4) == 0 { $0.publish() } }
      $0.publish()
      $0.cancel(first)
      $0.letGo(second)
    }
    simulation.client {
      let third = $0.subscribe(on: anywhere($0), $0.bounded())
      $0.iterate($0.bounded())
      $0.publish()
      $0.cancel(third)
    }
  }

  /// Everybody cancels everything, from outside and from inside callbacks: all outcomes there are.
  static let cancelStorm = Scenario("cancel storm") { simulation in
    let contexts = [
      simulation.immediate, simulation.serialQueue(), simulation.concurrentQueue(independent: true),
    ]
    func storm(_ simulation: Simulation) {
      guard simulation.draw(2) == 0 else { return }
      simulation.cancel(simulation.members[simulation.draw(simulation.members.count)])
    }
    for context in contexts { simulation.subscribe(on: context, reaction: storm) }
    simulation.client { simulation in
      simulation.publish()
      storm(simulation)
      simulation.publish()
    }
    for context in [contexts[0], contexts[2]] {
      simulation.client { simulation in
        let member = simulation.subscribe(on: context, reaction: storm)
        storm(simulation)
        simulation.publish()
        simulation.cancel(member)
        simulation.unsubscribe(simulation.members[simulation.draw(simulation.members.count)])
      }
    }
  }
}
