/// Why a row has no figure.
struct Fault: Error, CustomStringConvertible {
  let contestant: String
  let reason: any Error

  var description: String { "\(contestant): \(reason)" }
}
