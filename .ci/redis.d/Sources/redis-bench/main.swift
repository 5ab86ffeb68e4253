// Measures an outlet and a mirror beside loops in C that use hiredis alone, in one process, one after the other,
// several times: `redis-bench SOCKET PORT CERTIFICATE [COUNT] [ROUNDS]`. The server listens on that port of 127.0.0.1,
// and with TLS and the certificate on the next one. Prints the medians, and their ratios beside the goals; fails if a
// ratio is far from its goal.

import Bare
import Foundation
import SubPub
import SubPubRedis
import Synchronization

struct Failed: Error, CustomStringConvertible {
  let description: String
}

let arguments = CommandLine.arguments.dropFirst()
guard arguments.count >= 3, let socket = arguments.first, let port = Int(arguments[arguments.startIndex + 1]) else {
  throw Failed(description: "usage: redis-bench SOCKET PORT CERTIFICATE [COUNT] [ROUNDS]")
}
let certificate = arguments.dropFirst(2).first
let count = arguments.dropFirst(3).first.flatMap { Int($0) } ?? 200_000
let rounds = arguments.dropFirst(4).first.flatMap { Int($0) } ?? 5
let endpoint = RedisEndpoint(unixSocket: socket)
var encrypted = RedisEndpoint(port: port + 1)
encrypted.tls = RedisTLS(authorities: certificate)
let networks = [
  (name: "TCP", endpoint: RedisEndpoint(port: port)),
  (name: "TLS", endpoint: encrypted),
]

/// A text of 64 bytes as JSON.
@Sendable func text(_ number: Int) -> String {
  let digits = String(number)
  return String(repeating: "0", count: 62 - digits.count) + digits
}

let raw = RedisCoder<String>(encode: { Array($0.utf8) }, decode: { String(decoding: $0, as: UTF8.self) })
let coders: [(name: String, coder: RedisCoder<String>)] = [("JSON", .json()), ("raw", raw)]

@Sendable func key() -> String { "bench \(UUID())" }

/// Counts the states that a mirror has published, on the reader's thread.
final class Arrivals: Sendable {
  private let last = Mutex("")
  private let arrived = DispatchSemaphore(value: 0)

  func note(_ state: LoadState<String>) {
    guard case .loaded(let text) = state else { return }
    if last.withLock({ $0 == text }) { arrived.signal() }
  }

  /// Waits for a value that is published by `publish`.
  func wait(for text: String, _ publish: () -> Void) {
    last.withLock { $0 = text }
    publish()
    arrived.wait()
  }
}

/// An outlet and a mirror that have a first state, until the end of the body.
@concurrent func connected(
  _ coder: RedisCoder<String>, over endpoint: RedisEndpoint = endpoint,
  _ body: @Sendable (Publisher<String>, Arrivals) throws -> Void
) async throws {
  let (publisher, arrivals, key) = (Publisher<String>(), Arrivals(), key())
  let outlet = RedisOutlet(publisher, key: key, endpoint: endpoint, maxLength: 1_000_000, coder: coder)
  let mirror = RedisMirror<String>(key: key, endpoint: endpoint, coder: coder)
  mirror.publisher.subscribe(arrivals, on: .immediate) { $0.note($1) }
  let tasks = [Task { try await outlet.run() }, Task { try await mirror.run() }]
  try await withTaskExecutorPreference(QueueExecutor(label: "bench")) {
    arrivals.wait(for: "begin") { publisher.updateData("begin") }
    try body(publisher, arrivals)
  }
  for task in tasks { task.cancel() }
  for task in tasks { try await task.value }
}

@Sendable func seconds(_ start: ContinuousClock.Instant) -> Double { start.duration(to: .now) / .seconds(1) }
@Sendable func median(_ numbers: [Double], _ part: Double = 0.5) -> Double {
  numbers.sorted()[min(numbers.count - 1, Int(Double(numbers.count) * part))]
}

let results = Mutex<[String: [Double]]>([:])
@Sendable func note(_ name: String, _ number: Double) throws {
  guard number >= 0 else { throw Failed(description: "\(name) failed") }
  results.withLock { $0[name, default: []].append(number) }
}
@Sendable func note(_ name: String, _ latencies: [Double]) throws {
  try note("\(name), p50", median(latencies))
  try note("\(name), p99", median(latencies, 0.99))
}

/// Whether processors may sleep while a latency is measured.
///
/// Where they can't be kept awake, both modes are the same.
enum Mode: CaseIterable {
  case awake, sleeping

  var name: String { self == .awake ? "latency" : "latency, sleeping" }

  func run<Result>(_ body: () throws -> Result) rethrows -> Result {
    if self == .awake { bare_keep_awake() }
    defer { bare_let_sleep() }
    return try body()
  }
}

let texts = (1...count).map(text)
/// States a second.
@Sendable func throughput(_ publisher: Publisher<String>, _ arrivals: Arrivals) -> Double {
  let start = ContinuousClock.now
  arrivals.wait(for: texts[texts.count - 1]) { for text in texts { publisher.updateData(text) } }
  return Double(count) / seconds(start)
}

for _ in 0..<rounds {
  try note("throughput bare", Double(count) / bare_throughput(socket, key(), Int32(count)))
  for mode in Mode.allCases {
    let latencies = try mode.run {
      var times = [Double](repeating: 0, count: 5_000)
      guard bare_latency(socket, key(), Int32(times.count), &times) == 0 else { throw Failed(description: "latency") }
      return times
    }
    try note("\(mode.name) bare", latencies)
  }

  for (name, coder) in coders {
    try await connected(coder) { publisher, arrivals in
      try note("throughput \(name)", throughput(publisher, arrivals))
      for mode in Mode.allCases {
        let latencies = mode.run {
          (0..<5_000).map { number in
            let text = "\(mode) \(number)"
            let start = ContinuousClock.now
            arrivals.wait(for: text) { publisher.updateData(text) }
            return seconds(start) * 1e6
          }
        }
        try note("\(mode.name) \(name)", latencies)
      }
    }
  }

  for (name, endpoint) in networks {
    try await connected(raw, over: endpoint) { try note("throughput \(name)", throughput($0, $1)) }
  }

  let late = key()
  guard bare_fill(socket, late, 1, 10_000) >= 0 else { throw Failed(description: "filling") }
  for _ in 0..<20 {
    try note("late bare", bare_late(socket, "\(late) 0"))
    let (mirror, arrivals) = (RedisMirror<String>(key: "\(late) 0", endpoint: endpoint), Arrivals())
    mirror.publisher.subscribe(arrivals, on: .immediate) { $0.note($1) }
    let start = ContinuousClock.now
    let run = Mutex<Task<Void, any Error>?>(nil)
    arrivals.wait(for: text(10_000)) { run.withLock { $0 = Task.detached { try await mirror.run() } } }
    try note("late mirror", seconds(start) * 1e6)
    run.withLock { $0 }?.cancel()
    _ = await run.withLock { $0 }?.result
  }
}

// A thousand streams, one process, one thread.
let streams = 1_000
let many = key()
let reached = DispatchSemaphore(value: 0)
let mirrors = (0..<streams).map { RedisMirror<String>(key: "\(many) \($0)", endpoint: endpoint) }
let observations = mirrors.map { mirror in
  mirror.publisher.observe(on: .immediate) { publication in
    if publication.state.value == text(100) { reached.signal() }
  }
}
let runs = mirrors.map { mirror in Task { try await mirror.run() } }
while mirrors.contains(where: { $0.publisher.state != .unknown || $0.publisher.current.version < 2 }) {
  try await Task.sleep(for: .milliseconds(1))
}
let start = ContinuousClock.now
guard bare_fill(socket, many, Int32(streams), 100) >= 0 else { throw Failed(description: "filling many") }
await withTaskExecutorPreference(QueueExecutor(label: "wait")) { @concurrent in
  for _ in 0..<streams { reached.wait() }
}
let many_seconds = seconds(start)
let threads = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/task").count { thread in
  (try? String(contentsOfFile: "/proc/self/task/\(thread)/comm", encoding: .utf8))?.hasPrefix("SubPub.Redis") ?? false
}
for run in runs { run.cancel() }
for run in runs { try await run.value }
withExtendedLifetime(observations) {}

let found = results.withLock { $0 }.mapValues { median($0) }
for (name, number) in found.sorted(by: { $0.key < $1.key }) {
  print("\(name.padding(toLength: 28, withPad: " ", startingAt: 0)) \(Int(number))")
}
print("1,000 streams, \(threads) reading thread: \(Int(Double(streams * 100) / many_seconds)) states a second")

var failures = 0
/// Compares a ratio with its goal, and with the limit beyond which something is wrong.
@MainActor func check(_ name: String, _ ratio: Double, goal: Double, limit: Double) {
  let isGreaterBetter = limit < goal
  func meets(_ bound: Double) -> Bool { isGreaterBetter ? ratio >= bound : ratio <= bound }
  let verdict = meets(goal) ? "ok" : meets(limit) ? "missed" : "FAILED"
  let bound = "\(isGreaterBetter ? "at least" : "at most") \(goal)"
  print("\(verdict): \(name) \((ratio * 100).rounded() / 100), goal \(bound), limit \(limit)")
  if !meets(limit) { failures += 1 }
}
for (name, _) in coders {
  check("throughput, \(name)", found["throughput \(name)"]! / found["throughput bare"]!, goal: 0.8, limit: 0.5)
  for mode in Mode.allCases {
    let latency = found["\(mode.name) \(name), p50"]! / found["\(mode.name) bare, p50"]!
    check("\(mode.name), \(name)", latency, goal: mode == .awake ? 1.5 : 1.6, limit: 3)
  }
}
check("throughput, TLS beside TCP", found["throughput TLS"]! / found["throughput TCP"]!, goal: 0.6, limit: 0.4)
check("late mirror", found["late mirror"]! / found["late bare"]!, goal: 5, limit: 10)
check("reading threads", Double(threads), goal: 1, limit: 1)
exit(failures == 0 ? 0 : 1)
