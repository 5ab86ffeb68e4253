/// What is wrong with the command line, in one line.
enum UsageError: Error, Equatable, CustomStringConvertible {
  case unknown(String)
  case valueMissing(String)
  case notANumber(String, String, mayBeZero: Bool)

  var description: String {
    switch self {
    case .unknown(let word): "unknown argument '\(word)'"
    case .valueMissing(let name): "\(name) needs a value"
    case .notANumber(let name, let text, let mayBeZero):
      "\(name) needs a number \(mayBeZero ? "from 0" : "greater than 0 and") up to 1e9, not '\(text)'"
    }
  }
}
