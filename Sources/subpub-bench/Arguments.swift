import SubPub

/// The options of the command line.
struct Arguments {
  enum Request {
    case help
    case run(Arguments)
  }

  var filter: String?
  var json: String?
  var chart: String?
  var pairs = 9

  static let usage = """
    usage: subpub-bench [--filter NAME] [--pairs N] [--json FILE] [--chart FILE]
    Measures SubPub and the alternatives that the toolchain offers, alternately, in one process.

      --filter NAME  run only rows whose name or rival's name contains NAME, ignoring case
      --pairs N      measure each row N times, 7 or more (default: 9)
      --json FILE    write every figure to FILE, replacing its contents
      --chart FILE   draw the figures as an SVG image in FILE, replacing its contents
      --help         show this

    Exit status: 0 if every row stays within its bound, 1 if one doesn't, 2 if it can't begin or a file can't be
    written, 3 if the run is void, 4 if a delivery was lost or out of order.
    """

  /// Parses `--name value` and `--name=value`, whose value may begin with two dashes.
  static func parse(_ words: [String]) throws(UsageError) -> Request {
    var arguments = Arguments()
    var rest = words[...]
    while let word = rest.popFirst() {
      let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      guard let name = parts.first, options.contains(name) else { throw .unknown(word) }
      if name == "--help" || name == "-h" {
        guard parts.count == 1 else { throw .unknown(word) }
        return .help
      }
      if parts.count == 1, rest.first?.hasPrefix("--") == true { throw .valueMissing(name) }
      guard let value = parts.count == 2 ? parts[1] : rest.popFirst(), !value.isEmpty else {
        throw .valueMissing(name)
      }
      try arguments.set(name, to: value)
    }
    return .run(arguments)
  }

  private static let options: Set = ["--filter", "--pairs", "--json", "--chart", "--help", "-h"]

  private mutating func set(_ name: String, to value: String) throws(UsageError) {
    switch name {
    case "--filter": filter = value
    case "--json": json = value
    case "--chart": chart = value
    default:
      guard let number = Int(value), (7...1_000).contains(number) else { throw .notPairs(value) }
      pairs = number
    }
  }

  /// Returns the requested rows, of which there must be at least one.
  func rows(of all: [Row]) throws(UsageError) -> [Row] {
    guard let filter else { return all }
    let rows = all.filter { $0.title.lowercased().contains(filter.lowercased()) }
    guard !rows.isEmpty else { throw .noSuchRow(filter, all.map(\.title)) }
    return rows
  }
}

/// An error in the command line.
enum UsageError: Error, CustomStringConvertible {
  case unknown(String)
  case valueMissing(String)
  case notPairs(String)
  case noSuchRow(String, [String])

  var description: String {
    switch self {
    case .unknown(let word): "unknown argument '\(word.onOneLine)' (see --help)"
    case .valueMissing(let name): "\(name) needs a value (see --help)"
    case .notPairs(let text): "--pairs needs a whole number from 7 to 1000, not '\(text.onOneLine)' (see --help)"
    case .noSuchRow(let name, let rows):
      "no row's name contains '\(name.onOneLine)'; these are the rows:\n"
        + rows.map { "  \($0)" }.joined(separator: "\n")
    }
  }
}
