// expect: a handler neither awaits nor throws: to await, write `for await state in publisher.states() { … }` in a task

import SubPub

func send(_ state: LoadState<Int>) async {}

actor Log {
  var states: [LoadState<Int>] = []
}

func attach(_ log: Log, to publisher: Publisher<Int>) {
  publisher.subscribe(log) { log, state in
    log.states.append(state)
    await send(state)
    // instead: Task { await send(state) }
  }
}
