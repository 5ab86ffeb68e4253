// expect: `on:` comes before `buffering:`

import SubPub

final class Log: Sendable {
  func write(_ state: LoadState<Int>) {}
}

func attach(_ log: Log, to publisher: Publisher<Int>) {
  publisher.subscribe(log, buffering: .latest, on: .background) { log, state in log.write(state) }
  // instead: publisher.subscribe(log, on: .background, buffering: .latest) { log, state in log.write(state) }
}
