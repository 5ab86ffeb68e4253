/// What was asked for on the command line.
struct Arguments {
  enum Request {
    case help
    case run(Arguments)
  }

  var filter: String?
  var json: String?
  var pairs = 9

  static let usage = """
    usage: subpub-bench [--filter NAME] [--pairs N] [--json FILE]
    Measures SubPub and what the toolchain offers instead, in turn, in one process.

      --filter NAME  only the rows whose name or rival's name contains NAME, in upper or lower case
      --pairs N      measure each row N times, 7 or more (default: 9)
      --json FILE    write every figure to FILE, which is replaced
      --help         show this

    Exit status: 0 when every row keeps its bound, 1 when some don't, 2 when it can't begin or its report can't be
    written, 3 when the run is void, 4 when something was lost or came out of order.
    """

  /// Reads `--name value` and `--name=value`; the second form takes values that begin with two dashes.
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

  private static let options: Set = ["--filter", "--pairs", "--json", "--help", "-h"]

  private mutating func set(_ name: String, to value: String) throws(UsageError) {
    switch name {
    case "--filter": filter = value
    case "--json": json = value
    default:
      guard let number = Int(value), (7...1_000).contains(number) else { throw .notPairs(value) }
      pairs = number
    }
  }

  /// The rows that were asked for, of which there has to be one.
  func rows(of all: [Row]) throws(UsageError) -> [Row] {
    guard let filter else { return all }
    let rows = all.filter { $0.title.lowercased().contains(filter.lowercased()) }
    guard !rows.isEmpty else { throw .noSuchRow(filter, all.map(\.title)) }
    return rows
  }
}
