import SubPub

/// Scenarios with several contexts, with ends and with waits.
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
    simulation.client { for _ in 0..<3 { $0.publish() } }
    simulation.client {
      let second = $0.subscribe(on: anywhere($0)) { if $0.draw(4) == 0 { $0.publish() } }
      $0.publish()
      $0.cancel(first)
      $0.release(second)
    }
    simulation.client {
      let third = $0.subscribe(on: anywhere($0), $0.bounded())
      $0.iterate($0.bounded())
      $0.publish()
      $0.cancel(third)
    }
  }

  /// All clients cancel all subscriptions, outside and inside callbacks, with all outcomes.
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

  /// One object subscribes again and again, on other lanes, and is never called twice at once.
  static let replacement = Scenario("replacement") { simulation in
    let contexts = [
      simulation.immediate, simulation.serialQueue(), simulation.concurrentQueue(independent: true),
      simulation.manualExecutor(),
    ]
    let first = simulation.subscribe(on: contexts[simulation.draw(contexts.count)])
    simulation.client { for _ in 0..<3 { $0.publish() } }
    for _ in 0..<2 {
      simulation.client { simulation in
        for _ in 0..<2 {
          simulation.subscribe(on: contexts[simulation.draw(contexts.count)], replacing: first)
          simulation.publish()
        }
      }
    }
  }

  /// The publisher is released while states are pending, which are delivered before everything ends.
  static let release = Scenario("release") { simulation in
    let (queue, lanes) = (simulation.serialQueue(), simulation.concurrentQueue(independent: true))
    let first = simulation.subscribe(on: queue)
    simulation.subscribe(on: lanes) { if $0.draw(3) == 0 { $0.publish() } }
    simulation.client {
      $0.publish()
      $0.publish()
      $0.releasePublisher()
    }
    simulation.client {
      $0.iterate()
      $0.publish()
      $0.subscribe(on: queue, $0.bounded())
      $0.cancel(first)
    }
    simulation.client {
      $0.subscribe(on: $0.immediate)
      $0.publish()
      $0.publish()
    }
  }

  /// Tasks wait for deliveries and for lanes.
  static let waiting = Scenario("waiting") { simulation in
    let contexts = [
      simulation.immediate, simulation.serialQueue(), simulation.concurrentQueue(independent: true),
      simulation.actor(),
    ]
    func anywhere(_ simulation: Simulation) -> Context { contexts[simulation.draw(contexts.count)] }
    let first = simulation.subscribe(on: anywhere(simulation))
    simulation.client {
      $0.publish()
      $0.drain()
      $0.publish()
      $0.cancelAndWait(first)
    }
    simulation.client {
      let second = $0.subscribe(on: anywhere($0)) { if $0.draw(4) == 0 { $0.drain() } }
      $0.publish()
      $0.drain()
      $0.cancelAndWait(second)
    }
    simulation.client {
      let third = $0.subscribe(on: anywhere($0))
      $0.publish()
      $0.cancel(third)
      $0.cancelAndWait(third)
      $0.read()
    }
  }

  /// Slow subscribers with bounds, and others without.
  static let bounds = Scenario("bounds") { simulation in
    let contexts = [
      simulation.immediate, simulation.serialQueue(), simulation.concurrentQueue(independent: true),
      simulation.actor(),
    ]
    func anywhere(_ simulation: Simulation) -> Context { contexts[simulation.draw(contexts.count)] }
    let first = simulation.subscribe(on: anywhere(simulation), simulation.bounded())
    for context in [contexts[1], anywhere(simulation)] {
      simulation.client {
        let member = $0.subscribe(on: context, $0.bounded())
        for _ in 0..<3 { $0.publish() }
        $0.cancel(member)
      }
    }
    simulation.client {
      let member = $0.subscribe(on: anywhere($0), $0.draw(2) == 0 ? .unbounded : $0.bounded())
      for _ in 0..<3 { $0.publish() }
      $0.cancel($0.draw(2) == 0 ? first : member)
    }
  }
}
