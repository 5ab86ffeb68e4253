import Foundation
import SubPub
import Support
import Synchronization

/// Runs the body, prints what it returns with time and memory, and returns by how many megabytes memory has grown.
func measure(_ name: String, _ body: () async throws -> String) async rethrows -> Int {
  let before = residentMegabytes
  let begin = Stamp.now()
  let found = try await body()
  let milliseconds = (Stamp.now() - begin) / 1_000_000
  let after = residentMegabytes
  let memory = before.map { "\($0) MB before, \(after ?? 0) MB after" } ?? "memory unknown"
  print("limit: \(name): \(found); \(milliseconds) ms; \(memory)")
  return (after ?? 0) - (before ?? 0)
}

/// The memory that the process has now; nil if the system doesn't tell.
var residentMegabytes: Int? {
  guard let text = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8) else { return nil }
  return text.split(separator: " ").dropFirst().first.flatMap { Int($0) }.map { ($0 * 4_096) >> 20 }
}

/// Counts what it receives, on any context.
final class Counter: TypedSubscriber {
  typealias Value = Int
  private let total: Tally
  private let reaction: (@Sendable (Int) -> Void)?
  private let received = Atomic<Int>(0)
  private let latest = Atomic<Int>(-1)

  init(_ total: Tally = Tally(), reaction: (@Sendable (Int) -> Void)? = nil) {
    self.total = total
    self.reaction = reaction
  }

  func receive(_ state: LoadState<Int>) {
    received.add(1, ordering: .relaxed)
    total.add()
    guard let value = state.value else { return }
    latest.store(value, ordering: .relaxed)
    reaction?(value)
  }

  var count: Int { received.load(ordering: .relaxed) }
  var last: Int { latest.load(ordering: .relaxed) }
}

/// A count that many subscribers share.
final class Tally: Sendable {
  private let total = Atomic<Int>(0)
  func add(_ count: Int = 1) { total.add(count, ordering: .relaxed) }
  var count: Int { total.load(ordering: .relaxed) }
}
