/// What is published: foreign code all over. Its `==` and its `deinit` are scheduling points.
final class Payload: Sendable {
  let number: Int
  private let simulation: Simulation

  init(_ number: Int, _ simulation: Simulation) {
    self.number = number
    self.simulation = simulation
    simulation.livePayloads += 1
  }

  deinit {
    simulation.livePayloads -= 1
    simulation.foreignCode(.payloadDies, number)
  }
}

extension Payload: Equatable {
  static func == (left: Payload, right: Payload) -> Bool {
    left.simulation.foreignCode(.equal, left.number)
    return left.number == right.number
  }
}
