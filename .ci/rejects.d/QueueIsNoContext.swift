// expect: a queue's context is `.queue(queue)`, and the main queue's is `.main`

import Dispatch
import SubPub

final class Log: Sendable {
  func write(_ state: LoadState<Int>) {}
}

func attach(_ log: Log, to publisher: Publisher<Int>, _ queue: DispatchQueue) {
  publisher.subscribe(log, on: queue) { log, state in log.write(state) }
  // instead: publisher.subscribe(log, on: .queue(queue)) { log, state in log.write(state) }
}
