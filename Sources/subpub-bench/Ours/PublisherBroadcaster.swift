import SubPub

/// A publisher with typed subscribers, all on one context.
struct PublisherBroadcaster: Broadcaster {
  private let publisher = Publisher<[Int]>()

  init(to listeners: [some Receiver], on delivery: DeliveryContext) {
    for listener in listeners { publisher.subscribe(listener, on: delivery) }
  }

  func publish(_ value: [Int]) { publisher.updateData(value) }
  func settle() async { await publisher.drain() }
}
