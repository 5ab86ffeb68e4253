import SubPub
import Synchronization

/// A subscriber that checks its deliveries, of the same class for SubPub and the rival.
protocol Receiver: TypedSubscriber where Value == [Int] {
  /// Throws unless it has received what it should after a number of publishes.
  func check(published: Int) throws(DeliveryError)
}

/// The subscriber of most rows, which checks the order at the least cost.
final class Listener: Receiver {
  // Deliveries of one subscriber never overlap, and each happens before the next, so a load and a store are enough.
  private let delivered = Atomic<Int>(0)
  private let outOfOrder = Atomic<Int>(0)

  func receive(_ state: LoadState<[Int]>) {
    // The replay of a new publisher is `unknown`.
    guard case .loaded(let value) = state else { return }
    let before = delivered.load(ordering: .relaxed)
    if !Payload.isNext(value, after: before) { outOfOrder.add(1, ordering: .relaxed) }
    delivered.store(before &+ 1, ordering: .relaxed)
  }

  func check(published: Int) throws(DeliveryError) {
    let failure = DeliveryError(
      published: published, delivered: delivered.load(ordering: .relaxed),
      outOfOrder: outOfOrder.load(ordering: .relaxed))
    guard failure.delivered == published, failure.outOfOrder == 0 else { throw failure }
  }
}

/// A subscriber that counts all calls, including replays.
final class CallCounter: TypedSubscriber {
  // Deliveries of one subscriber never overlap, so a load and a store are enough.
  private let calls = Atomic<Int>(0)

  func receive(_ state: LoadState<[Int]>) { calls.store(calls.load(ordering: .relaxed) &+ 1, ordering: .relaxed) }

  func check(_ expected: Int) throws(DeliveryError) {
    let delivered = calls.load(ordering: .relaxed)
    guard delivered == expected else { throw DeliveryError(published: expected, delivered: delivered) }
  }
}

/// The published values: a counter in an array, allocated in advance so that it isn't measured.
enum Payload {
  /// The number of different payloads, after which the counter restarts.
  static let count = 256
  static let ring = ring(from: 0)

  /// Returns the payloads of one of several publishing threads.
  static func ring(from source: Int) -> [[Int]] { (0..<count).map { [$0, source] } }

  /// Returns whether a payload is the one that follows a number of others.
  @inline(__always)
  static func isNext(_ value: [Int], after others: Int) -> Bool { value[0] == others & (count - 1) }
}

/// The error of deliveries that were lost, repeated, or out of order, which makes the figures worthless.
struct DeliveryError: Error, CustomStringConvertible {
  let published: Int
  var delivered: Int
  var outOfOrder = 0

  var description: String {
    "of \(published.grouped) published, a subscriber got \(delivered.grouped), \(outOfOrder.grouped) of them out of order"
  }
}
