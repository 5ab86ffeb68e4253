// Measures what many outlets and mirrors cost: `redis-scale SOCKET`. Fails if a figure is beyond its limit.
//
//   redis-scale SOCKET             all of the figures
//   redis-scale SOCKET COUNT       the figures of so many idle outlets and mirrors
//   redis-scale SOCKET hot         the figure of many mirrors of one key
//   redis-scale SOCKET follow KEY COUNT PACE
//                                  one process of a fleet: so many mirrors of a key, each with a pace in milliseconds,
//                                  or 0 for none; reads lines, and prints the versions that the mirrors show

import Foundation
import SubPub
import SubPubRedis
import Synchronization

let arguments = Array(CommandLine.arguments.dropFirst())
let server = arguments.first ?? ""
if server.isEmpty { fatalError("usage: redis-scale SOCKET") }
let endpoint = RedisEndpoint(unixSocket: server)

if arguments.count == 5, arguments[1] == "follow" {
  try await follow(arguments[2], Int(arguments[3]) ?? 0, pace: Int(arguments[4]) ?? 0)
  exit(0)
}

let failures = Mutex(0)

/// Prints a figure, and counts it if it is beyond its limit.
func check(_ name: String, _ figure: Double, atMost limit: Double, _ unit: String) {
  let isMet = figure <= limit
  print("\(isMet ? "ok" : "FAILED"): \(name): \((figure * 100).rounded() / 100) \(unit), at most \(limit)")
  if !isMet { failures.withLock { $0 += 1 } }
}

if arguments.count == 2, arguments[1] == "hot" {
  try await hotKey(mirrors: 1_000, rate: 100, seconds: 10)
  exit(0)
}
if arguments.count == 2, let count = Int(arguments[1]) {
  try await idle(count)
  exit(0)
}
try await idle(10_000)
try await blackHole(400)
try await hotKey(mirrors: 1_000, rate: 100, seconds: 10)
try await fleet(processes: 20, mirrors: 50, rate: 1_000, seconds: 5, pace: 100)
try await fleet(processes: 20, mirrors: 50, rate: 1_000, seconds: 5, pace: 0)
exit(failures.withLock { $0 } == 0 ? 0 : 1)
