// expect: a queue's context is `.queue(queue)`, and the main queue's is `.main`

import Dispatch
import SubPub

@MainActor final class Screen {
  func show(_ state: LoadState<Int>) {}
}

func attach(_ screen: Screen, to publisher: Publisher<Int>) {
  publisher.subscribe(screen, on: DispatchQueue.main) { screen, state in screen.show(state) }
  // instead: publisher.subscribe(screen, on: .main) { screen, state in screen.show(state) }
}
