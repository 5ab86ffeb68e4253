/// What is wrong with the command line.
enum UsageError: Error, CustomStringConvertible {
  case unknown(String)
  case valueMissing(String)
  case notPairs(String)
  case noSuchRow(String, [String])

  var description: String {
    switch self {
    case .unknown(let word): "unknown argument '\(word)' (see --help)"
    case .valueMissing(let name): "\(name) needs a value (see --help)"
    case .notPairs(let text): "--pairs needs a whole number from 7 to 1000, not '\(text)' (see --help)"
    case .noSuchRow(let name, let rows):
      "no row's name contains '\(name)'; these are the rows:\n" + rows.map { "  \($0)" }.joined(separator: "\n")
    }
  }
}
