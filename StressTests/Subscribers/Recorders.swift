// Subscribers that record what they receive.

/// For typed subscriptions, closures, explicit protocols and delegates on any context.
final class PlainRecorder: TypedSubscriber, StateReceiver, CallReceiver {
  private let log: RecordedSubscription
  private let left: PublisherUnderTest?

  /// Creates a subscriber that unsubscribes in its `deinit`, if it gets a publisher.
  init(_ log: RecordedSubscription, unsubscribingFrom left: PublisherUnderTest? = nil) {
    (self.log, self.left) = (log, left)
  }

  deinit {
    log.died()
    left?.publisher.unsubscribe(self)
  }

  func receive(_ state: LoadState<Payload>) {}
  func receive(_ publication: Publication<Payload>) { log.record(publication) }
  func show(_ state: LoadState<Payload>) { log.record(state) }
  func called(_ number: UInt32) { log.record(number: number) }
}

/// The same on the main actor.
@MainActor final class MainRecorder: MainActorTypedSubscriber, MainStateReceiver, MainCallReceiver {
  private let log: RecordedSubscription
  nonisolated init(_ log: RecordedSubscription) { self.log = log }
  deinit { log.died() }
  func receive(_ state: LoadState<Payload>) {}
  func receive(_ publication: Publication<Payload>) { log.record(publication) }
  func show(_ state: LoadState<Payload>) { log.record(state) }
  func called(_ number: UInt32) { log.record(number: number) }
}

final class UntypedRecorder: Subscriber {
  private let log: RecordedSubscription
  init(_ log: RecordedSubscription) { self.log = log }
  deinit { log.died() }
  func receive(_ publication: any AnyPublication) {
    if let publication = publication as? Publication<Payload> { log.record(publication) }
  }
}

@MainActor final class MainUntypedRecorder: MainActorSubscriber {
  private let log: RecordedSubscription
  nonisolated init(_ log: RecordedSubscription) { self.log = log }
  deinit { log.died() }
  func receive(_ publication: any AnyPublication) {
    if let publication = publication as? Publication<Payload> { log.record(publication) }
  }
}

actor ActorRecorder {
  private nonisolated let log: RecordedSubscription
  private var visits = 0
  init(_ log: RecordedSubscription) { self.log = log }
  deinit { log.died() }
  func show(_ state: LoadState<Payload>) {
    visits &+= 1
    log.record(state)
  }
}

protocol StateReceiver: AnyObject, Sendable { func show(_ state: LoadState<Payload>) }
@MainActor protocol MainStateReceiver: AnyObject { func show(_ state: LoadState<Payload>) }
protocol CallReceiver: AnyObject, Sendable { func called(_ number: UInt32) }
@MainActor protocol MainCallReceiver: AnyObject { func called(_ number: UInt32) }
