// expect: a manager has a publisher: `manager.publisher.subscribe(…)`

import SubPub

final class Log: Sendable {
  func write(_ state: LoadState<Int>) {}
}

func attach(_ log: Log, to manager: LoadingManager<Int>) {
  manager.subscribe(log, on: .background) { log, state in log.write(state) }
  // instead: manager.publisher.subscribe(log, on: .background) { log, state in log.write(state) }
}
