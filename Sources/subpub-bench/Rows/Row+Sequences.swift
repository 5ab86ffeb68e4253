import SubPub

extension Row {
  /// Delivery to async sequences, until each of them has ended.
  static let sequences: [Row] = [1, 10, 100].map { consumers in
    let publishes = 100_000 / consumers
    // A single one mostly waits for its task to be resumed, as the rival's does.
    let bound = consumers == 1 ? 0.6 : 0.4
    return Row("sequences, \(consumers)", against: "AsyncStream for each", bound: .ratio(bound)) {
      try await timePerState(of: PublisherSource.self, to: consumers, publishing: publishes)
    } rival: {
      try await timePerState(of: AsyncStreamSource.self, to: consumers, publishing: publishes)
    }
  }
}

@concurrent
private func timePerState<Source: StateSource>(
  of type: Source.Type, to consumers: Int, publishing publishes: Int
) async throws -> Double {
  let ready = Latch(consumers)
  let clock = ContinuousClock()
  let time = try await withThrowingTaskGroup { group in
    var source: Source? = Source()
    for _ in 0..<consumers {
      guard let states = source?.states() else { continue }
      group.addTask { try await consume(states, publishes, whenReady: ready) }
    }
    await ready.wait()
    let start = clock.now
    source?.publish(publishes)
    source = nil
    try await group.waitForAll()
    return clock.now - start
  }
  return time.nanoseconds / Double(publishes * consumers)
}

/// Consumes a sequence, and arrives at the latch when it has an iterator, which subscribes when it is made.
@concurrent
private func consume(
  _ states: some AsyncSequence<LoadState<[Int]>, Never>, _ published: Int, whenReady ready: Latch
) async throws {
  var iterator = states.makeAsyncIterator()
  ready.arrive()
  var failure = DeliveryError(published: published, delivered: 0)
  while let state = await iterator.next(isolation: nil) {
    guard case .loaded(let value) = state else { continue }
    if !Payload.isNext(value, after: failure.delivered) { failure.outOfOrder += 1 }
    failure.delivered += 1
  }
  guard failure.delivered == published, failure.outOfOrder == 0 else { throw failure }
}
