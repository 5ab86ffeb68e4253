import Dispatch
import SubPub

extension Row {
  /// To publish costs the same, however many wait for it.
  static let suspendedQueue: [Row] = [
    Row("publish to a suspended queue, 10,000", against: "the same with 1", bound: .ratio(2)) {
      try await timePerPublish(to: 10_000)
    } rival: {
      try await timePerPublish(to: 1)
    }
  ]
}

@concurrent
private func timePerPublish(to subscribers: Int) async throws -> Double {
  // Each of what is published has to be delivered afterwards, to 10,000: that takes a second.
  let (bursts, burst) = (4, 500)
  let queue = DispatchQueue(label: "suspended")
  let listeners = (0..<subscribers).map { _ in Listener() }
  let contestant = PublisherBroadcaster(to: listeners, on: .queue(queue))
  await contestant.settle()
  var time = Duration.zero
  for index in 0..<bursts {
    queue.suspend()
    time += ContinuousClock().measure { contestant.publish(burst, after: index * burst) }
    queue.resume()
    await contestant.settle()
  }
  for listener in listeners { try listener.check(published: bursts * burst) }
  return time.nanoseconds / Double(bursts * burst)
}
