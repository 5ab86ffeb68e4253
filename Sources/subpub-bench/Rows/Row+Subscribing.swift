import Foundation
import SubPub

extension Row {
  /// Subscribing and cancelling immediately, with other subscriptions present.
  static let subscribing: [Row] = [
    Row("subscribe + cancel, 0 present", against: "NotificationCenter", bound: .ratio(0.6)) {
      try await timePerSubscription(present: 0)
    } rival: {
      try await timePerObserver(present: 0)
    },
    Row("subscribe + cancel, 1,000 present", against: "NotificationCenter") {
      try await timePerSubscription(present: 1_000)
    } rival: {
      try await timePerObserver(present: 1_000)
    },
    Row("subscribe + cancel, 100,000 present", against: "the same with 0 present", bound: .ratio(1.4)) {
      try await timePerSubscription(present: 100_000)
    } rival: {
      try await timePerSubscription(present: 0)
    },
  ]
}

private let rounds = 100_000

@concurrent
private func timePerSubscription(present: Int) async throws -> Double {
  let publisher = Publisher<[Int]>()
  let others = (0..<present).map { _ in Listener() }
  for other in others { publisher.subscribe(other, on: .immediate) }
  let newSubscriber = CallCounter()
  let time = ContinuousClock().measure {
    for _ in 0..<rounds { publisher.subscribe(newSubscriber, on: .immediate).cancel() }
  }
  // The new subscriber has received a replay each time, and isn't subscribed any longer; the others still are.
  publisher.updateData(Payload.ring[0])
  try newSubscriber.check(rounds)
  for other in others { try other.check(published: 1) }
  return time.nanoseconds / Double(rounds)
}

@concurrent
private func timePerObserver(present: Int) async throws -> Double {
  let center = NotificationCenter()
  let name = Notification.Name("state")
  func add(_ counter: CallCounter) -> any NSObjectProtocol {
    center.addObserver(forName: name, object: nil, queue: nil) { [weak counter] _ in counter?.receive(.unknown) }
  }
  let others = (0..<present).map { _ in CallCounter() }
  let tokens = others.map(add)
  let newSubscriber = CallCounter()
  let time = ContinuousClock().measure {
    for _ in 0..<rounds { center.removeObserver(add(newSubscriber)) }
  }
  center.post(name: name, object: nil)
  try newSubscriber.check(0)
  for other in others { try other.check(1) }
  withExtendedLifetime(tokens) {}
  return time.nanoseconds / Double(rounds)
}
