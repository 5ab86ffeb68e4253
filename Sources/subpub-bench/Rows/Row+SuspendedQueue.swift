import Dispatch
import SubPub

extension Row {
  /// Publishing costs the same, however many subscribers wait.
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
  // Bursts are short, because everything has to be delivered to 10,000 subscribers afterwards. In the first two,
  // buffers grow. Each burst begins with some publishes that aren't timed, because this thread has slept, and its
  // caches have been used by others.
  let (bursts, warmUp, burst) = (7, 100, 400)
  let queue = DispatchQueue(label: "suspended")
  let listeners = (0..<subscribers).map { _ in Listener() }
  let contestant = PublisherBroadcaster(to: listeners, on: .queue(queue))
  await contestant.drain()
  var times: [Double] = []
  for index in 0..<bursts {
    queue.suspend()
    let before = index * (warmUp + burst)
    contestant.publish(warmUp, after: before)
    let time = ContinuousClock().measure { contestant.publish(burst, after: before + warmUp) }
    times.append(time.nanoseconds / Double(burst))
    queue.resume()
    await contestant.drain()
  }
  for listener in listeners { try listener.check(published: bursts * (warmUp + burst)) }
  return times.median
}
