import Dispatch
import SubPub

extension Row {
  /// The allocations of a publish to an existing lane whose buffers have grown.
  static let objects: [Row] = [1, 1_000].flatMap { subscribers in
    [
      objects("publishing thread, \(subscribers.grouped)") {
        try await objectsPerPublish(to: subscribers, on: .immediate, suspending: nil)
      },
      objects("suspended queue, \(subscribers.grouped)") {
        let queue = DispatchQueue(label: "suspended")
        return try await objectsPerPublish(to: subscribers, on: .queue(queue), suspending: queue)
      },
    ]
  }

  private static func objects(_ name: String, _ ours: @escaping Sample) -> Row {
    Row(
      "allocations, \(name)", in: .objects, bound: .figure(1), isMeasurable: ObjectCount.isMeasured,
      ours: ours)
  }
}

/// Counts the objects per publish; `queue` is suspended so that no other thread allocates.
@concurrent
private func objectsPerPublish(
  to subscribers: Int, on delivery: DeliveryContext, suspending queue: DispatchQueue?
) async throws -> Double {
  let (publishes, rounds) = (1_000, 3)
  let listeners = (0..<subscribers).map { _ in Listener() }
  let contestant = PublisherBroadcaster(to: listeners, on: delivery)
  var objects = 0
  // A lane has two buffers, which it uses alternately: they grow in the first two rounds.
  for round in 0..<rounds {
    await contestant.drain()
    queue?.suspend()
    objects = ObjectCount.during { contestant.publish(publishes, after: round * publishes) }
    queue?.resume()
  }
  await contestant.drain()
  for listener in listeners { try listener.check(published: rounds * publishes) }
  return Double(objects) / Double(publishes)
}
