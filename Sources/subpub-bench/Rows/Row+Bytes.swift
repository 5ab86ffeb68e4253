import Dispatch
import Foundation
import SubPub

extension Row {
  /// What lies on the heap for each subscription, beside the subscriber, and for each publisher.
  static let bytes: [Row] = [
    Row(
      "bytes for each subscription", in: .bytes, against: "NotificationCenter", bound: .figure(200),
      isMeasurable: HeapUse.isMeasured
    ) {
      try await bytesPerSubscription()
    } rival: {
      try await bytesPerObserver()
    },
    Row("bytes for each publisher", in: .bytes, isMeasurable: HeapUse.isMeasured) {
      let count = 10_000
      var publishers: [Publisher<[Int]>] = []
      publishers.reserveCapacity(count)
      let growth = await HeapUse.growth {
        for _ in 0..<count { publishers.append(Publisher()) }
      }
      // Those that were made are still there.
      guard publishers.allSatisfy({ $0.current.version == 0 }) else { throw Shortfall(published: 0, delivered: 1) }
      return Double(growth) / Double(count)
    },
  ]
}

private let subscriptions = 100_000

/// Weak, with a handler, on one queue.
@concurrent
private func bytesPerSubscription() async throws -> Double {
  let publisher = Publisher<[Int]>()
  let queue = DispatchQueue(label: "bytes")
  let listeners = (0..<subscriptions).map { _ in Listener() }
  let growth = await HeapUse.growth {
    for listener in listeners {
      publisher.subscribe(listener, on: .queue(queue)) { listener, state in listener.receive(state) }
    }
    await publisher.drain()
  }
  publisher.updateData(Payload.ring[0])
  await publisher.drain()
  for listener in listeners { try listener.check(published: 1) }
  return Double(growth) / Double(subscriptions)
}

@concurrent
private func bytesPerObserver() async throws -> Double {
  let listeners = (0..<subscriptions).map { _ in Listener() }
  var contestant: NotificationBroadcaster<Listener>?
  let growth = await HeapUse.growth { contestant = NotificationBroadcaster(to: listeners) }
  contestant?.publish(1)
  for listener in listeners { try listener.check(published: 1) }
  return Double(growth) / Double(subscriptions)
}
