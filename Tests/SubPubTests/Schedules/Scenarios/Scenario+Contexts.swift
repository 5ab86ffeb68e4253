/// Scenarios with one kind of context.
extension Scenario {
  /// The publishing threads deliver for each other, and callbacks publish, subscribe and cancel.
  static let immediate = Scenario("immediate") { simulation in
    simulation.subscribe(on: simulation.immediate)
    simulation.client { for _ in 0..<3 { $0.publish() } }
    simulation.client {
      $0.publish()
      $0.read()
      $0.publish()
    }
    simulation.client {
      let first = $0.subscribe(on: $0.immediate)
      let second = $0.subscribe(on: $0.immediate, $0.bounded())
      $0.read()
      $0.cancel(first)
      $0.cancel($0.draw(2) == 0 ? second : first)
    }
    simulation.client {
      var left = 1
      let member = $0.subscribe(on: $0.immediate) {
        left -= 1
        if left == 0 { $0.publish() } else if left < -1, $0.draw(3) == 0 { $0.subscribe(on: $0.immediate) }
      }
      $0.publish()
      $0.release(member)
      $0.count()
    }
  }

  /// One serial queue, on which clients also run steps of their own, as programs do on the main queue.
  static let serialQueue = Scenario("serial queue") { simulation in
    let queue = simulation.makeQueue(.serial)
    let context = simulation.serial(queue)
    let first = simulation.subscribe(on: context)
    simulation.client { for _ in 0..<4 { $0.publish() } }
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
      $0.release($0.draw(2) == 0 ? third : nil)
      $0.publish()
    }
  }

  /// A concurrent queue whose subscriptions share a lane, so that two deliveries never overlap.
  static let concurrentQueue = Scenario("concurrent queue") { simulation in
    let context = simulation.concurrentQueue(independent: false)
    let first = simulation.subscribe(on: context)
    simulation.client { for _ in 0..<3 { $0.publish() } }
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
      $0.release($0.subscribe(on: context))
      $0.publish()
      $0.count()
    }
  }

  /// A concurrent queue with a lane for each subscription, as on `.background`, so that two deliveries may overlap.
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
      $0.release($0.draw(2) == 0 ? first : nil)
      $0.cancel(member)
    }
  }

  /// A task executor with several threads, and a manual one.
  static let executors = Scenario("executors") { simulation in
    let (wide, manual) = (simulation.executor(), simulation.manualExecutor())
    let first = simulation.subscribe(on: wide)
    simulation.client { for _ in 0..<3 { $0.publish() } }
    simulation.client {
      let second = $0.subscribe(on: manual) { if $0.draw(3) == 0 { $0.publish() } }
      $0.publish()
      $0.cancel(first)
      $0.read()
      $0.cancel(second)
    }
    simulation.client {
      $0.subscribe(on: wide, $0.bounded())
      $0.release($0.subscribe(on: manual, $0.bounded()))
      $0.publish()
    }
  }

  /// Two actors, of which one dies; the subscriptions of an actor share a lane, and end with it.
  static let actor = Scenario("actor") { simulation in
    let (standing, shortLived) = (simulation.actor(), simulation.actor())
    let first = simulation.subscribe(on: standing)
    simulation.subscribe(on: shortLived)
    simulation.client {
      for _ in 0..<3 { $0.publish() }
      $0.release(shortLived)
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
      $0.subscribe(on: shortLived, $0.bounded())
      $0.publish()
      $0.subscribe(on: standing)
      $0.publish()
      $0.count()
    }
  }

  /// Tasks that iterate, leave and are cancelled.
  static let sequences = Scenario("sequences") { simulation in
    // Receives every version, to compare with.
    simulation.subscribe(on: simulation.serialQueue())
    simulation.client { for _ in 0..<3 { $0.publish() } }
    simulation.client {
      $0.iterate()
      $0.publish()
      let second = $0.iterate($0.bounded())
      $0.read()
      $0.endIterating(second)
    }
    simulation.client {
      let third = $0.iterate()
      $0.publish()
      $0.endIterating(third)
      $0.publish()
    }
  }
}
