// expect: a handler neither awaits nor throws: to await, write `for await state in publisher.states() { … }` in a task

import SubPub

actor Log {
  func write(_ state: LoadState<Int>) {}
}

func attach(_ log: Log, to publisher: Publisher<Int>) async {
  publisher.subscribe(log, on: .background) { log, state in await log.write(state) }
  // instead: for await state in publisher.states() { await log.write(state) }
}
