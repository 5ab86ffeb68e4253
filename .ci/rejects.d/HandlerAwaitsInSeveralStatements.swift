// expect: a handler neither awaits nor throws: to await, write `for await state in publisher.states() { … }` in a task

import SubPub

@MainActor final class Screen {
  var title = ""
  func animate() async {}
}

@MainActor func attach(_ screen: Screen, to publisher: Publisher<Int>) {
  publisher.subscribe(screen) { screen, state in
    screen.title = "\(state)"
    await screen.animate()
    // instead: Task { await screen.animate() }
  }
}
