import SubPub

extension Row {
  /// Lists of 10,000 elements by their changes, from the publish to the change at a consumer that waits for it.
  static let changes: [Row] = [
    change("one replaced", bound: .figure(200)) { $0[5_000].price += 1 },
    change("one removed") { $0.remove(at: 5_000) },
    change("one in front, the last out") { $0 = [Product(id: -1)] + $0.dropLast() },
    change("100 moved") { $0 = Array($0[9_900...] + $0[..<9_900]) },
  ]

  private static func change(
    _ name: String, bound: Bound? = nil, _ change: @escaping @Sendable (inout [Product]) -> Void
  ) -> Row {
    Row("changes of 10,000, \(name)", in: .microseconds, against: "`difference(from:)`", bound: bound) {
      let publisher = Publisher<[Product]>()
      let changes = publisher.changes(buffering: .latest)
      return try await timePerChange(in: changes, change) { publisher.updateData($0) }
    } rival: {
      let (lists, continuation) = AsyncStream.makeStream(of: [Product].self, bufferingPolicy: .bufferingNewest(1))
      return try await timePerChange(in: Differences(lists: lists), change) { continuation.yield($0) }
    }
  }
}

private struct Product: Identifiable, Hashable {
  let id: Int
  var name = "a product with a name that isn't short"
  var price = 100
  var isAvailable = true
}

/// The differences between the lists of an AsyncStream, as the standard library makes them.
private struct Differences: AsyncSequence, Sendable {
  let lists: AsyncStream<[Product]>

  struct AsyncIterator: AsyncIteratorProtocol {
    var lists: AsyncStream<[Product]>.Iterator
    var last: [Product] = []

    mutating func next(isolation: isolated (any Actor)?) async -> CollectionDifference<Product>? {
      guard let list = await lists.next(isolation: isolation) else { return nil }
      defer { last = list }
      return list.difference(from: last)
    }
  }

  func makeAsyncIterator() -> AsyncIterator { AsyncIterator(lists: lists.makeAsyncIterator()) }
}

/// Publishes two lists in turn, and measures how long the change takes to arrive.
@concurrent
private func timePerChange<Changes: AsyncSequence & Sendable>(
  in changes: Changes, _ change: @Sendable (inout [Product]) -> Void, _ publish: @Sendable ([Product]) -> Void
) async throws -> Double where Changes.Failure == Never {
  let count = 200
  let first = (0..<10_000).map { Product(id: $0) }
  var second = first
  change(&second)
  let clock = ContinuousClock()
  let (arrivals, continuation) = AsyncStream.makeStream(of: ContinuousClock.Instant.self)
  let consumer = Task { @concurrent in
    var (iterator, received) = (changes.makeAsyncIterator(), 0)
    while received <= count, await iterator.next(isolation: nil) != nil {
      received += 1
      continuation.yield(clock.now)
    }
  }
  var (arrival, time) = (arrivals.makeAsyncIterator(), Duration.zero)
  for number in 0...count {
    let start = clock.now
    publish(number.isMultiple(of: 2) ? first : second)
    guard let end = await arrival.next() else { break }
    // The first is the whole list.
    if number > 0 { time += end - start }
  }
  await consumer.value
  return time / .microseconds(1) / Double(count)
}
