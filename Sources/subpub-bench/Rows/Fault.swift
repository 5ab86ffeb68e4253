/// Why there is no figure, and whose it would be.
struct Fault: Error, CustomStringConvertible {
  let subject: String
  let reason: any Error

  var description: String { "\(subject): \(reason)" }
}
