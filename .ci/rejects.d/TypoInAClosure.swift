// expect: value of type 'LoadState<[Int]>' has no member 'valeu'

import SubPub

@MainActor final class Screen {
  var rows: [Int] = []
}

@MainActor func attach(_ screen: Screen, to publisher: Publisher<[Int]>) {
  publisher.subscribe(screen) { screen, state in screen.rows = state.valeu ?? [] }
  // instead: publisher.subscribe(screen) { screen, state in screen.rows = state.value ?? [] }
}
