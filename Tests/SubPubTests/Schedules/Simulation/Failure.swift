/// An error that can be told from others. Its `deinit` is a scheduling point.
final class Failure: Error {
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
