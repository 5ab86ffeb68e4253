extension Scenario {
  /// Task executors, one with several threads and one without any.
  static let executors = Scenario("executors") { simulation in
    let (wide, manual) = (simulation.executor(), simulation.manualExecutor())
    let first = simulation.subscribe(on: wide)
    simulation.client {
      for _ in 0..<3 { $0.publish() }
    }
    simulation.client {
      let second = $0.subscribe(on: manual) { if $0.draw(3) == 0 { $0.publish() } }
      $0.publish()
      $0.cancel(first)
      $0.read()
      $0.cancel(second)
    }
    simulation.client {
      $0.subscribe(on: wide, $0.bounded())
      $0.letGo($0.subscribe(on: manual, $0.bounded()))
      $0.publish()
    }
  }

  /// An actor, which may die; its subscriptions share a lane, and end with it.
  static let actor = Scenario("actor") { simulation in
    let (standing, mortal) = (simulation.actor(), simulation.actor())
    let first = simulation.subscribe(on: standing)
    simulation.subscribe(on: mortal)
    simulation.client {
      for _ in 0..<3 { $0.publish() }
      $0.letGo(mortal)
      $0.publish()
    }
    simulation.client {
      let second = $0.subscribe(on: standing, $0.bounded()) { if $0.draw(3) == 0 { $0.publish() } }
      $0.publish()
      $0.cancel(first)
      $0.read()
      $0.cancel(second)
    }
    simulation.client {
      $0.subscribe(on: mortal, $0.bounded())
      $0.publish()
      $0.subscribe(on: standing)
      $0.publish()
      $0.count()
    }
  }
}
