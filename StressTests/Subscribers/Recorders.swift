import SubPub
import Support

// Subscribers that record what they receive, one for each interface.

final class TypedRecorder: TypedSubscriber {
  let log: DeliveryLog
  init(_ log: DeliveryLog) { self.log = log }
  deinit { log.died() }
  func receive(_ state: LoadState<Payload>) {}
  func receive(_ publication: Publication<Payload>) { log.record(publication) }
}

final class UntypedRecorder: Subscriber {
  let log: DeliveryLog
  init(_ log: DeliveryLog) { self.log = log }
  deinit { log.died() }
  func receive(_ publication: any AnyPublication) {
    if let publication = publication as? Publication<Payload> { log.record(publication) }
  }
}

@MainActor final class MainTypedRecorder: MainActorTypedSubscriber {
  let log: DeliveryLog
  nonisolated init(_ log: DeliveryLog) { self.log = log }
  deinit { log.died() }
  func receive(_ state: LoadState<Payload>) {}
  func receive(_ publication: Publication<Payload>) { log.record(publication) }
}

@MainActor final class MainUntypedRecorder: MainActorSubscriber {
  let log: DeliveryLog
  nonisolated init(_ log: DeliveryLog) { self.log = log }
  deinit { log.died() }
  func receive(_ publication: any AnyPublication) {
    if let publication = publication as? Publication<Payload> { log.record(publication) }
  }
}

/// For closures, explicit protocols and delegates.
final class PlainRecorder: StateReceiver, CallReceiver {
  let log: DeliveryLog
  init(_ log: DeliveryLog) { self.log = log }
  deinit { log.died() }
  func show(_ state: LoadState<Payload>) { log.record(state) }
  func called(_ number: UInt32) { log.record(number: number) }
}

@MainActor final class MainPlainRecorder: MainStateReceiver, MainCallReceiver {
  let log: DeliveryLog
  nonisolated init(_ log: DeliveryLog) { self.log = log }
  deinit { log.died() }
  func show(_ state: LoadState<Payload>) { log.record(state) }
  func called(_ number: UInt32) { log.record(number: number) }
}

actor ActorRecorder {
  nonisolated let log: DeliveryLog
  private var visits = 0
  init(_ log: DeliveryLog) { self.log = log }
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
