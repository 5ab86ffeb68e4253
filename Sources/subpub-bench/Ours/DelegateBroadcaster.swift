import SubPub

/// A `MulticastDelegate` whose delegates are called on the publishing thread.
struct DelegateBroadcaster: Broadcaster {
  private let delegates = MulticastDelegate<any StateDelegate>()

  init(to listeners: [Listener]) {
    for listener in listeners { delegates.add(listener, on: .immediate) }
  }

  func publish(_ value: [Int]) { delegates.call { $0.stateChanged(.loaded(value)) } }
  func settle() async { await delegates.drain() }
}
