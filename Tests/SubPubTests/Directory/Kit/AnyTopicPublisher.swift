import SubPub

/// A publisher whose type doesn't matter. Holds it.
struct AnyTopicPublisher: Sendable {
  let object: any AnyObject & Sendable
  let id: PublisherID
  let publish: @Sendable () -> Void
  let register: @Sendable (PublisherDirectory) -> Void
  let drain: @Sendable () async -> Void

  init<Value: Sendable>(_ publisher: Publisher<Value>) {
    object = publisher
    id = publisher.id
    publish = { publisher.startLoading() }
    register = { $0.register(publisher) }
    drain = { await publisher.drain() }
  }
}
