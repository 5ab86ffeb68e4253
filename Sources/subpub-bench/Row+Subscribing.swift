import Foundation
import SubPub

extension Row {
  /// Subscribes and cancels, with others present.
  static func subscribing(present: Int) -> Row {
    let rounds = 100_000
    return Row(
      name: "subscribe + cancel, \(present) present", rivalName: "NotificationCenter", operations: rounds
    ) {
      let publisher = Publisher<[Int]>()
      let others = (0..<present).map { _ in Counter() }
      for other in others { publisher.subscribe(other, on: .immediate) }
      let counter = Counter()
      let time = ContinuousClock().measure {
        for _ in 0..<rounds { publisher.subscribe(counter, on: .immediate).cancel() }
      }
      check(others, 1)
      check([counter], rounds)
      return time
    } rival: {
      let center = NotificationCenter()
      let name = Notification.Name("state")
      let others = (0..<present).map { _ in center.addObserver(forName: name, object: nil, queue: nil) { _ in } }
      let time = ContinuousClock().measure {
        for _ in 0..<rounds {
          center.removeObserver(center.addObserver(forName: name, object: nil, queue: nil) { _ in })
        }
      }
      for other in others { center.removeObserver(other) }
      return time
    }
  }
}

extension Row {
  static let all: [Row] =
    [1, 10, 1000].map(publishingThread) + [1, 10, 1000].map(serialQueue) + [1, 10].map(sequences)
    + [0, 1000].map(subscribing)
}
