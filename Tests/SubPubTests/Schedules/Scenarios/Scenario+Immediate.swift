extension Scenario {
  /// The publishing threads deliver, one for the others; callbacks publish, subscribe and cancel.
  static let immediate = Scenario("immediate") { simulation in
    simulation.subscribe(on: simulation.immediate)
    simulation.client {
      for _ in 0..<3 { $0.publish() }
    }
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
      $0.letGo(member)
      $0.count()
    }
  }
}
