extension Scenario {
  /// One serial queue, to which clients put steps of their own, as programs do on the main queue.
  static let serialQueue = Scenario("serial queue") { simulation in
    let queue = simulation.makeQueue(.serial)
    let context = simulation.serial(queue)
    let first = simulation.subscribe(on: context)
    simulation.client {
      for _ in 0..<4 { $0.publish() }
    }
    simulation.client { simulation in
      let second = simulation.subscribe(on: context, simulation.bounded())
      simulation.publish()
      queue.schedule { simulation.cancel(first) }
      simulation.read()
      queue.schedule {
        simulation.cancel(second)
        simulation.publish()
      }
    }
    simulation.client {
      let third = $0.subscribe(on: context) { if $0.draw(4) == 0 { $0.cancel(first) } }
      $0.publish()
      $0.letGo($0.draw(2) == 0 ? third : nil)
      $0.publish()
    }
  }

  /// A concurrent queue whose subscriptions share a lane: never two deliveries at once, on whichever thread.
  static let concurrentQueue = Scenario("concurrent queue") { simulation in
    let context = simulation.concurrentQueue(independent: false)
    let first = simulation.subscribe(on: context)
    simulation.client {
      for _ in 0..<3 { $0.publish() }
    }
    simulation.client {
      let second = $0.subscribe(on: context) { if $0.draw(3) == 0 { $0.publish() } }
      $0.read()
      $0.cancel(first)
      $0.publish()
      $0.cancel(second)
    }
    simulation.client {
      $0.publish()
      $0.subscribe(on: context, $0.bounded())
      $0.letGo($0.subscribe(on: context))
      $0.publish()
      $0.count()
    }
  }

  /// A lane for each subscription of a concurrent queue, as on `.background`: two deliveries at once, on two threads.
  static let independentLanes = Scenario("independent lanes") { simulation in
    let context = simulation.concurrentQueue(independent: true)
    let first = simulation.subscribe(on: context)
    simulation.client {
      for _ in 0..<2 { $0.publish() }
      $0.cancel(first)
    }
    simulation.client {
      $0.subscribe(on: context, $0.bounded())
      $0.publish()
      $0.read()
      $0.publish()
    }
    simulation.client {
      var member: SimulatedSubscription?
      member = $0.subscribe(on: context) { if $0.draw(2) == 0 { $0.cancel(member) } }
      $0.publish()
      $0.letGo($0.draw(2) == 0 ? first : nil)
      $0.cancel(member)
    }
  }
}
