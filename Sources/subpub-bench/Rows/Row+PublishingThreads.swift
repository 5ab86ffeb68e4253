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
  // A thread that delivers for the others returns only when nothing is left, so the last of them has seen everything.
  let time = await Team.run(threads) { thread in
    contestant.publish(publishes, of: Payload.ring(from: thread))
  }
  try listener.check(published: publishes)
  return time.nanoseconds / Double(publishes * threads)
}
