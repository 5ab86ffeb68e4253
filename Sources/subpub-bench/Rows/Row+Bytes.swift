import Dispatch
import Foundation
import SubPub

extension Row {
  /// The heap memory of each subscription, without the subscriber, and of each publisher.
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
      // All publishers are still alive.
      guard publishers.allSatisfy({ $0.current.version == 0 }) else { throw DeliveryError(published: 0, delivered: 1) }
      return Double(growth) / Double(count)
    },
  ]
}

private let subscriptions = 100_000

/// Measures subscriptions with a closure, all on one queue.
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
