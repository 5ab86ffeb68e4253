import Dispatch
import Foundation
import Testing

extension StressTests.LimitTests {
  @Test(
    "a million subscribers of one publisher, and one subscriber of each of a hundred thousand",
    arguments: [(1, 1_000_000), (100_000, 1)])
  func limit_1_03_2_01_2_05_crowds(publishers: Int, each: Int) async {
    let (queue, tally, count) = (DispatchQueue(label: "crowd"), Tally(), publishers * each)
    let publishers = (0..<publishers).map { _ in Publisher<Int>() }
    await measure("\(publishers.count) publishers with \(count) subscribers") {
      let crowd = (0..<count).map { _ in Guarded((states: 0, last: -1)) }
      for (index, one) in crowd.enumerated() {
        let context = each > 1 || index % 2 == 0 ? DeliveryContext.queue(queue) : .background
        publishers[index / each].subscribe(one, on: context) { one, state in
          tally.add()
          one.with { $0 = ($0.states + 1, state.value ?? $0.last) }
        }
      }
      for publisher in publishers { publisher.updateData(7) }
      for publisher in publishers { await publisher.drain() }
      #expect(tally.count == 2 * count)
      #expect(crowd.allSatisfy { $0.value == (2, 7) })
      #expect(publishers.allSatisfy { $0.subscriberCount == each })
      return withExtendedLifetime(crowd) { "\(tally.count) deliveries; \(residentMegabytes ?? 0) MB with all of them" }
    }
    for publisher in publishers { publisher.updateData(2) }
    for publisher in publishers { await publisher.drain() }
    #expect(tally.count == 2 * count)
    #expect(publishers.allSatisfy { $0.subscriberCount == 0 })
  }

  @Test("ten thousand sequences at once")
  func limit_6_01_6_03_tenThousandSequences() async {
    let (count, states) = (10_000, 20)
    var publisher: Publisher<Int>? = Publisher<Int>()
    guard let sequence = publisher?.states() else { return }
    await measure("10,000 sequences") {
      let tasks = (0..<count).map { _ in Self.read(sequence.makeAsyncIterator()) }
      for value in 1...states { publisher?.updateData(value) }
      publisher = nil
      var complete = 0
      for task in tasks where await task.value == Array(1...states) { complete += 1 }
      #expect(complete == count)
      return "\(count * (states + 1)) states taken"
    }
  }

  private static func read(_ start: sending StateSequence<Int>.Iterator) -> Task<[Int], Never> {
    Task.detached {
      var (iterator, values) = (start, [Int]())
      while let state = await iterator.next() { if let value = state.value { values.append(value) } }
      return values
    }
  }
}

/// Runs the body, and prints what it returns with time and memory.
func measure(_ name: String, _ body: () async -> String) async {
  let (before, begin) = (residentMegabytes, Stamp.now())
  let found = await body()
  let milliseconds = (Stamp.now() - begin) / 1_000_000
  let memory = before.map { "\($0) MB before, \(residentMegabytes ?? 0) MB after" } ?? "memory unknown"
  print("limit: \(name): \(found); \(milliseconds) ms; \(memory)")
}

/// The memory that the process has now; nil if the system doesn't tell.
var residentMegabytes: Int? {
  guard let text = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8) else { return nil }
  return text.split(separator: " ").dropFirst().first.flatMap { Int($0) }.map { ($0 * 4_096) >> 20 }
}
