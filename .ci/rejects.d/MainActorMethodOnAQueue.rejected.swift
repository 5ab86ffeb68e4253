// expect: 'subscribe(_:on:buffering:calling:)'

import Dispatch
import SubPub

@MainActor final class Screen {
  func show(_ state: LoadState<Int>) {}
}

func attach(_ screen: Screen, to publisher: Publisher<Int>, queue: DispatchQueue) {
  publisher.subscribe(screen, on: .queue(queue), calling: Screen.show)
}
