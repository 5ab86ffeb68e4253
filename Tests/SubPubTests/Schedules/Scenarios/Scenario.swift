import Testing

/// A named cast: contexts and clients, whose choices and turns a seed decides.
struct Scenario: Sendable {
  let name: String
  let cast: @Sendable (Simulation) -> Void

  init(_ name: String, _ cast: @escaping @Sendable (Simulation) -> Void) {
    self.name = name
    self.cast = cast
  }

  /// At most so many clients.
  static let clients = 4
  /// How many threads the pools have together: two, so that two deliveries may be under way.
  static let workers = 2

  static let all: [Scenario] = [
    immediate, serialQueue, concurrentQueue, independentLanes, executors, actor, sequences, mixed, cancelStorm,
    replacement, release, waiting, bounds,
  ]
}

extension Scenario: CustomTestStringConvertible {
  var testDescription: String { name }
}
