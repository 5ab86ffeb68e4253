import Foundation
import SubPub

/// NotificationCenter, with blocks on the posting thread that hold their listeners weakly.
///
/// The value is the notification's object, because reading it from `userInfo` takes twice as long.
final class NotificationBroadcaster<Listener: Receiver>: Broadcaster {
  private final class Box: Sendable {
    let value: [Int]
    init(_ value: [Int]) { self.value = value }
  }

  private static var name: Notification.Name { Notification.Name("state") }
  private let center = NotificationCenter()

  init(to listeners: [Listener]) {
    // The center is released as a whole, so the tokens aren't needed.
    for listener in listeners {
      _ = center.addObserver(forName: Self.name, object: nil, queue: nil) { [weak listener] notification in
        guard let box = notification.object as? Box else { return }
        listener?.receive(.loaded(box.value))
      }
    }
  }

  func publish(_ value: [Int]) { center.post(name: Self.name, object: Box(value)) }
  func drain() async {}
}
