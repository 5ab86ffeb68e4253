/// An error that can be told from others. It lives as a payload does, and dies like one.
struct Failure: Error {
  private let payload: Payload
  var number: Int { payload.number }

  init(_ number: Int, _ simulation: Simulation) { payload = Payload(number, simulation) }
}
