// expect: main actor-isolated property 'rows' can not be mutated from a Sendable closure

import SubPub

@MainActor final class Screen {
  var rows: [Int] = []
}

func attach(_ screen: Screen, to publisher: Publisher<[Int]>) {
  publisher.subscribe(screen, on: .background) { screen, state in screen.rows = state.value ?? [] }
  // instead: publisher.subscribe(screen, on: .main) { screen, state in screen.rows = state.value ?? [] }
}
