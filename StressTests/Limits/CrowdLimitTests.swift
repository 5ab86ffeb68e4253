import Dispatch
import SubPub
import Support
import Testing

extension StressTests {
  @Test("a million subscribers of one publisher", .enabled(if: StressSettings.current.isLarge))
  func limit_2_01_2_05_aMillionSubscribers() async {
    let count = 1_000_000
    let (publisher, queue, tally) = (Publisher<Int>(), DispatchQueue(label: "crowd"), Tally())
    _ = await measure("a million subscribers") {
      let crowd = (0..<count).map { _ in Counter(tally) }
      for one in crowd { publisher.subscribe(one, on: .queue(queue)) }
      publisher.updateData(1)
      await publisher.drain()
      #expect(tally.count == 2 * count)
      #expect(publisher.subscriberCount == count)
      return withExtendedLifetime(crowd) {
        "\(tally.count) deliveries; \(residentMegabytes ?? 0) MB with all of them"
      }
    }
    publisher.updateData(2)
    await publisher.drain()
    #expect(tally.count == 2 * count)
    #expect(publisher.subscriberCount == 0)
  }

  @Test("a hundred thousand publishers", .enabled(if: StressSettings.current.isLarge))
  func limit_1_03_aHundredThousandPublishers() async {
    let count = 100_000
    let (queue, tally) = (DispatchQueue(label: "crowd"), Tally())
    _ = await measure("100,000 publishers") {
      let publishers = (0..<count).map { _ in Publisher<Int>() }
      let subscribers = publishers.indices.map { index in
        let one = Counter(tally)
        publishers[index].subscribe(one, on: index % 2 == 0 ? .queue(queue) : .background)
        return one
      }
      for publisher in publishers { publisher.updateData(7) }
      for publisher in publishers { await publisher.drain() }
      #expect(subscribers.allSatisfy { $0.count == 2 && $0.last == 7 })
      return "\(tally.count) deliveries; \(residentMegabytes ?? 0) MB with all of them"
    }
  }

  @Test("ten thousand sequences at once", .enabled(if: StressSettings.current.isLarge))
  func limit_6_01_6_03_tenThousandSequences() async {
    let (count, states) = (10_000, 20)
    var publisher: Publisher<Int>? = Publisher<Int>()
    guard let sequence = publisher?.states() else { return }
    _ = await measure("10,000 sequences") {
      let tasks = (0..<count).map { _ in
        let iterator = sequence.makeAsyncIterator()
        return Self.read(iterator)
      }
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
