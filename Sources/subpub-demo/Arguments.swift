/// The options of the command line.
struct Arguments: Equatable {
  enum Request: Equatable {
    case help
    case run(Arguments)
  }

  /// The paths to watch, each once.
  var watch: [String] = []
  var interval = Duration.milliseconds(500)
  /// The time until the program ends; nil if none was given.
  var seconds: Duration?
  var isPlain = false
  var record: String?
  var log: String?
  var cache: String?
  var publishTo: Server?
  var mirror: Server?
  var serve: WebAddress?
  var alarmLoad = LoadAverage.processors

  static let usage = [
    "usage: subpub-demo [--watch PATH]… [--interval SECONDS] [--seconds SECONDS] [--plain] [--record FILE]",
    "                   [--log FILE] [--cache FOLDER] [--alarm-load N] [--publish-to URL] [--mirror URL]",
    "                   [--serve [HOST:]PORT]",
    "Watches this machine: its load average, its memory, and files or folders. On a terminal it shows a screen until",
    "you press q; elsewhere it prints each change for 5 seconds. At the end it prints a table of deliveries.",
    "",
    "  --watch PATH        a file or folder to watch; may be given several times (default: the current folder)",
    "  --interval SECONDS  the time between two readings (default: 0.5)",
    "  --seconds SECONDS   the time until it ends (default: 5, or no limit with a screen)",
    "  --plain             print each change, even on a terminal",
    "  --record FILE       at the end, write the screen to FILE as text; replaces the contents of FILE",
    "  --log FILE          write every state to FILE, one JSON object per line; replaces the contents of FILE",
    "  --cache FOLDER      keep the last values in FOLDER, and show them at the next start until new ones arrive",
    "  --alarm-load N      report when the load reaches N (default: the number of processors)",
    "  --publish-to URL    write every state to a Redis server: redis://USER:PASSWORD@HOST:PORT/DATABASE, of which",
    "                      redis://HOST is enough, rediss:// with encryption, or unix:///PATH",
    "  --mirror URL        show the states that another --publish-to writes, with the same paths, instead of this machine",
    "  --serve [HOST:]PORT serve a page with the states, /events, /state, and /metrics; only for this",
    "                      machine unless HOST is another address of it, such as 0.0.0.0",
    "  --help              show this",
    "",
    "Keys: q quits, r refreshes, i invalidates; e makes loads fail, and s a subscriber slow, until pressed again.",
  ]

  /// What the program watches, in words.
  var title: String {
    if let mirror { return "what is at \(mirror)" }
    return "\(watch.joined(separator: ", ")) every \(interval)"
  }

  /// The name of a watched path, which is the same on a mirror.
  func label(of path: String) -> String { watch.count == 1 ? "path" : "path \(path)" }

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
      if name == "--plain" {
        guard parts.count == 1 else { throw .unknown(word) }
        arguments.isPlain = true
        continue
      }
      if parts.count == 1, rest.first?.hasPrefix("--") == true { throw .valueMissing(name) }
      guard let value = parts.count == 2 ? parts[1] : rest.popFirst(), !value.isEmpty else {
        throw .valueMissing(name)
      }
      try arguments.set(name, to: value)
    }
    if arguments.publishTo != nil, arguments.mirror != nil { throw .mirrorPublishes }
    if let log = arguments.log, log == arguments.record { throw .sameFile(log) }
    if arguments.watch.isEmpty { arguments.watch = ["."] }
    return .run(arguments)
  }

  private static let options: Set = [
    "--watch", "--interval", "--seconds", "--plain", "--record", "--log", "--cache", "--alarm-load", "--publish-to",
    "--mirror", "--serve", "--help", "-h",
  ]

  private mutating func set(_ name: String, to value: String) throws(UsageError) {
    switch name {
    case "--watch": if !watch.contains(value) { watch.append(value) }
    case "--record": record = value
    case "--log": log = value
    case "--cache": cache = value
    case "--publish-to": publishTo = try Server(name, value)
    case "--mirror": mirror = try Server(name, value)
    case "--serve": serve = try WebAddress(value)
    case "--interval": interval = .seconds(try Self.number(value, for: name, atLeast: 1e-9))
    case "--seconds": seconds = .seconds(try Self.number(value, for: name, atLeast: 1e-9))
    default: alarmLoad = try Self.number(value, for: name, atLeast: 0)
    }
  }

  /// Limited to a billion seconds, which is 31 years and well within the range of `Duration`.
  private static func number(
    _ text: String, for name: String, atLeast minimum: Double
  ) throws(UsageError) -> Double {
    guard let number = Double(text), number >= minimum, number <= 1e9 else {
      throw .notANumber(name, text, minimum: minimum == 0 ? "0" : "\(minimum)")
    }
    return number
  }
}

/// An error in the command line, described in one line.
enum UsageError: Error, Equatable, CustomStringConvertible {
  case unknown(String)
  case valueMissing(String)
  case notANumber(String, String, minimum: String)
  case sameFile(String)
  case notAServer(String, String)
  case withoutRedis(String)
  case notAnAddress(String)
  case mirrorPublishes

  var description: String {
    switch self {
    case .unknown(let word): "unknown argument '\(word)'"
    case .valueMissing(let name): "\(name) needs a value"
    case .notANumber(let name, let text, let minimum):
      "\(name) needs a number from \(minimum) to 1e9, not '\(text)'"
    case .sameFile(let file): "--log and --record need different files, not both '\(file)'"
    case .notAServer(let name, let reason): "\(name) needs a URL such as redis://127.0.0.1:6379/0: \(reason)"
    case .withoutRedis(let name): "\(name) needs a program that is built with --traits Redis"
    case .notAnAddress(let text): "--serve needs a port, or an address such as 127.0.0.1:8080, not '\(text)'"
    case .mirrorPublishes: "--mirror shows what --publish-to writes, so give one of them"
    }
  }
}
