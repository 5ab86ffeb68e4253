// expect: call to main actor-isolated instance method 'subscribe(_:buffering:ifDuplicate:label:handler:)'

import SubPub

final class Log: Sendable {
  func write(_ state: LoadState<Int>) {}
}

actor Reader {
  func attach(_ log: Log, to publisher: Publisher<Int>) {
    publisher.subscribe(log) { log, state in log.write(state) }
    // instead: publisher.subscribe(log, on: .actor(self)) { log, state in log.write(state) }
  }
}
