import SubPub

extension Row {
  /// Several threads publish at once, to one subscriber on the publishing thread.
  static let publishingThreads: [Row] = [1, 2, 4].map { threads in
    Row("\(threads) publishing \(threads == 1 ? "thread" : "threads")", against: "locked weak loop") {
      try await timePerDelivery(from: threads) { PublisherBroadcaster(to: $0, on: .immediate) }
    } rival: {
      try await timePerDelivery(from: threads) { LockedWeakLoop(to: $0) }
    }
  }
}

@concurrent
private func timePerDelivery(
  from threads: Int, through make: ([MultiSourceListener]) -> some Broadcaster
) async throws -> Double {
  let listener = MultiSourceListener(sources: threads)
  let contestant = make([listener])
  let publishes = 400_000 / threads
  var time = await ThreadGroup.run(threads) { thread in
    contestant.publish(publishes, of: Payload.ring(from: thread))
  }
  // What a thread has left to one of Dispatch, after it had delivered enough for the others.
  time += await ContinuousClock().measure { await contestant.drain() }
  try listener.check(published: publishes)
  return time.nanoseconds / Double(publishes * threads)
}

/// A subscriber that receives from several publishing threads, each of which must keep its order.
///
/// The payloads contain the number of the thread.
final class MultiSourceListener: Receiver {
  private let sources: [Listener]

  init(sources: Int) { self.sources = (0..<sources).map { _ in Listener() } }

  func receive(_ state: LoadState<[Int]>) {
    guard case .loaded(let value) = state else { return }
    sources[value[1]].receive(state)
  }

  /// Checks that every thread's values have arrived; `published` is their number for each thread.
  func check(published: Int) throws(DeliveryError) {
    for source in sources { try source.check(published: published) }
  }
}
