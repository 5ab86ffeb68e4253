import Foundation
import SubPub

/// NotificationCenter, with blocks on the posting thread that hold their listeners weakly.
final class NotificationBroadcaster<Listener: Receiver>: Broadcaster {
  private static var name: Notification.Name { Notification.Name("state") }
  private let center = NotificationCenter()

  init(to listeners: [Listener]) {
    // The center is released as a whole, so nobody needs the tokens.
    for listener in listeners {
      _ = center.addObserver(forName: Self.name, object: nil, queue: nil) { [weak listener] notification in
        guard let value = notification.userInfo?["value"] as? [Int] else { return }
        listener?.receive(.loaded(value))
      }
    }
  }

  func publish(_ value: [Int]) { center.post(name: Self.name, object: nil, userInfo: ["value": value]) }
  func settle() async {}
}
