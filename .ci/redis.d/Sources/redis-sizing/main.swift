// What a tree of relays for one key costs: a simulation in virtual time, with costs that `.ci/redis scale` and
// `.ci/redis bench` have measured; anybody can run it with others.
//
//   redis-sizing [NAME=NUMBER…]
//
// The first server has the outlet. Its readers are relays, each of which writes to a server of its host; that one's
// readers are more relays, or the processes that have clients. Each server does one thing at a time. A state that is
// written is read by each reader with one reply, after which the reader asks again.

import Foundation

/// What can be set.
struct Settings {
  var processes = 10_000.0
  /// Clients of each process, such as browsers.
  var clients = 100.0
  /// How many readers each server has; 0 for one server without relays.
  var fanOut = 100.0
  /// States a second.
  var rate = 10.0
  var seconds = 60.0
  /// Bytes of a state with its field names.
  var bytes = 300.0
  /// How many states each stream keeps.
  var kept = 1_000.0
  // Microseconds.
  var write = 5.0
  var read = 6.0
  var relay = 60.0
  var network = 200.0
  /// What a client costs the process that it is connected to.
  var client = 2.0
  /// How long it takes until those behind a lost server have gone on to another one, in seconds.
  var failover = 2.0

  private static let names: [(String, WritableKeyPath<Settings, Double> & Sendable)] = [
    ("processes", \.processes), ("clients", \.clients), ("fanOut", \.fanOut), ("rate", \.rate),
    ("seconds", \.seconds), ("bytes", \.bytes), ("kept", \.kept), ("write", \.write), ("read", \.read),
    ("relay", \.relay), ("network", \.network), ("client", \.client), ("failover", \.failover),
  ]

  init(_ arguments: [String]) {
    for argument in arguments {
      let parts = argument.split(separator: "=")
      guard parts.count == 2, let path = Self.names.first(where: { $0.0 == parts[0] })?.1,
        let number = Double(parts[1]),
        number >= 0
      else { fatalError("\(argument) isn't NAME=NUMBER, with one of the names \(Self.names.map(\.0))") }
      self[keyPath: path] = number
    }
  }
}

let settings = Settings(Array(CommandLine.arguments.dropFirst()))

/// The readers of a server at each level, the first one first.
let levels: [Int] = {
  let processes = Int(settings.processes), fanOut = Int(settings.fanOut)
  guard fanOut > 1, processes > fanOut else { return [processes] }
  var (levels, rest) = ([Int](), processes)
  while rest > fanOut {
    levels.append(fanOut)
    rest = (rest + fanOut - 1) / fanOut
  }
  return [rest] + levels
}()

/// A server that does one thing at a time.
struct Server {
  var free = 0.0
  var busy = 0.0

  /// Takes a state, and returns when the reader with that number has it.
  mutating func serve(_ arrival: Double, readers: Int, reader: Int) -> Double {
    let begin = max(arrival, free)
    let (own, all) = (settings.write + settings.read * Double(reader), settings.write + settings.read * Double(readers))
    free = begin + all
    busy += all
    return begin + own
  }
}

// One path through the tree: the reader that each server serves last is the slowest.
var servers = levels.map { _ in Server() }
var delays = [[Double]](repeating: [], count: levels.count)
var client: [Double] = []
let interval = 1e6 / settings.rate
for number in 0..<Int(settings.rate * settings.seconds) {
  let published = Double(number) * interval
  var time = published + settings.network
  for (level, readers) in levels.enumerated() {
    time = servers[level].serve(time, readers: readers, reader: readers) + settings.network
    delays[level].append(time - published)
    time += settings.relay
  }
  client.append(time + settings.client * settings.clients - published)
}

func percentile(_ numbers: [Double], _ part: Double) -> String {
  let sorted = numbers.sorted()
  let number = sorted[min(sorted.count - 1, Int(Double(sorted.count) * part))] / 1_000
  return "\((number * 10).rounded() / 10) ms"
}

var count = 1
for (level, readers) in levels.enumerated() {
  let load = servers[level].busy / (settings.seconds * 1e6) * 100
  let memory = settings.kept * settings.bytes / 1e6
  print(
    """
    level \(level + 1): \(count) server\(count == 1 ? "" : "s"), each with \(readers) readers and \(readers * 2 + 1) connections
      commands a second: \(Int(settings.rate * Double(1 + readers * 2))), busy \((load * 10).rounded() / 10)%\
    \(load >= 100 ? ": too slow, it falls behind without end" : "")
      sends \(Int(settings.rate * Double(readers) * settings.bytes / 1e3)) KB a second, holds \((memory * 10).rounded() / 10) MB
      behind the outlet: p50 \(percentile(delays[level], 0.5)), p99 \(percentile(delays[level], 0.99))
      if one is lost: \(Int(settings.processes) / count) processes see an error for about \(settings.failover) s, and skip \
    nothing that \(Int(settings.kept)) states cover
    """)
  count *= readers
}
print(
  """
  \(Int(settings.processes)) processes with \(Int(settings.processes * settings.clients)) clients
    a client is behind the outlet: p50 \(percentile(client, 0.5)), p99 \(percentile(client, 0.99))
    each process sends \(Int(settings.rate * settings.clients)) states a second, for \
  \((settings.rate * settings.clients * settings.client / 1e4 * 10).rounded() / 10)% of a processor
  """)
