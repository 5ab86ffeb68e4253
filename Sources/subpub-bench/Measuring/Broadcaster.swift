import SubPub

/// A way to broadcast values to many listeners, from SubPub or a rival.
protocol Broadcaster: Sendable {
  func publish(_ value: [Int])
  /// Waits until everything that was published has been delivered.
  func drain() async
}

extension Broadcaster {
  /// Publishes a number of payloads, the first of which follows `others` earlier ones.
  func publish(_ count: Int, of ring: [[Int]] = Payload.ring, after others: Int = 0) {
    for index in others..<others + count { publish(ring[index & (Payload.count - 1)]) }
  }
}

/// A publisher with typed subscribers, all on one context.
struct PublisherBroadcaster: Broadcaster {
  private let publisher = Publisher<[Int]>()

  init(to listeners: [some Receiver], on delivery: DeliveryContext) {
    for listener in listeners { publisher.subscribe(listener, on: delivery) }
  }

  func publish(_ value: [Int]) { publisher.updateData(value) }
  func drain() async { await publisher.drain() }
}

/// A publisher whose typed subscribers have subscribed at the end of a chain of mapped publishers.
struct MappedBroadcaster: Broadcaster {
  private let source = Publisher<[Int]>()
  private let mapped: ReadOnlyPublisher<[Int]>

  init(to listeners: [Listener], on context: DeliveryContext, length: Int = 1) {
    mapped = (0..<length).reduce(source.readOnly) { publisher, _ in publisher.map { $0 } }
    for listener in listeners { mapped.subscribe(listener, on: context) }
  }

  func publish(_ value: [Int]) { source.updateData(value) }

  func drain() async {
    await source.drain()
    await mapped.drain()
  }
}

/// A `MulticastDelegate` whose delegates are called on the publishing thread.
struct DelegateBroadcaster: Broadcaster {
  private let delegates = MulticastDelegate<any StateDelegate>()

  init(to listeners: [Listener]) {
    for listener in listeners { delegates.add(listener, on: .immediate) }
  }

  func publish(_ value: [Int]) { delegates.call { $0.stateChanged(.loaded(value)) } }
  func drain() async { await delegates.drain() }
}

/// A delegate protocol as users write it.
protocol StateDelegate: AnyObject, Sendable {
  func stateChanged(_ state: LoadState<[Int]>)
}

extension Listener: StateDelegate {
  func stateChanged(_ state: LoadState<[Int]>) { receive(state) }
}
