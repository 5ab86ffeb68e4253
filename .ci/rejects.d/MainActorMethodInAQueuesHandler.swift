// expect: call to main actor-isolated instance method 'show' in a synchronous nonisolated context

import Dispatch
import SubPub

@MainActor final class Screen {
  func show(_ state: LoadState<Int>) {}
}

@MainActor func attach(_ screen: Screen, to publisher: Publisher<Int>, queue: DispatchQueue) {
  publisher.subscribe(screen, on: .queue(queue)) { screen, state in screen.show(state) }
  // instead: publisher.subscribe(screen) { screen, state in screen.show(state) }
}
