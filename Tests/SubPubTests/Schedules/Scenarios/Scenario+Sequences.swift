extension Scenario {
  /// Tasks that iterate, leave and are cancelled.
  static let sequences = Scenario("sequences") { simulation in
    // Sees every version, to compare with.
    simulation.subscribe(on: simulation.serialQueue())
    simulation.client {
      for _ in 0..<3 { $0.publish() }
    }
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
