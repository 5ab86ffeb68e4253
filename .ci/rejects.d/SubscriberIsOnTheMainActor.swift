// expect: conformance of 'Screen' to protocol 'Subscriber' crosses into main actor-isolated code

import SubPub

@MainActor final class Screen: Subscriber {
  // instead: @MainActor final class Screen: MainActorSubscriber {
  func receive(_ publication: any AnyPublication) {}
}
