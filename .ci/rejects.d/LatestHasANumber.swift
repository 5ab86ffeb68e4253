// expect: the latest state alone is `.latest`, and the last n are `.newest(n)`

import SubPub

final class Log: Sendable {
  func write(_ state: LoadState<Int>) {}
}

func attach(_ log: Log, to publisher: Publisher<Int>) {
  publisher.subscribe(log, on: .background, buffering: .latest(1)) { log, state in log.write(state) }
  // instead: publisher.subscribe(log, on: .background, buffering: .newest(1)) { log, state in log.write(state) }
}
