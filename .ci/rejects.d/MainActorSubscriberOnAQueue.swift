// expect: instance method 'subscribe(_:on:buffering:ifDuplicate:label:)' requires that 'Screen' conform to

import SubPub

@MainActor final class Screen: MainActorSubscriber {
  func receive(_ publication: any AnyPublication) {}
}

@MainActor func attach(_ screen: Screen, to publisher: Publisher<Int>) {
  publisher.subscribe(screen, on: .background)
  // instead: publisher.subscribe(screen)
}
