import Testing

/// Named contexts and clients, whose choices and turns are decided by a seed.
struct Scenario: Sendable {
  let name: String
  let setUp: @Sendable (Simulation) -> Void

  init(_ name: String, _ setUp: @escaping @Sendable (Simulation) -> Void) {
    self.name = name
    self.setUp = setUp
  }

  /// How many clients a scenario has at most.
  static let clients = 4
  /// How many threads run jobs: two, so that two deliveries can be in flight.
  static let workers = 2

  static let all: [Scenario] = [
    immediate, serialQueue, concurrentQueue, independentLanes, executors, actor, sequences, mixed, cancelStorm,
    replacement, release, waiting, bounds,
  ]
}

extension Scenario: CustomTestStringConvertible {
  var testDescription: String { name }
}
