// expect: only class instances and actors can subscribe, because they are held weakly

import SubPub

struct Log: Sendable {
  // instead: final class Log: Sendable {
  func write(_ state: LoadState<Int>) {}
}

@MainActor func attach(_ log: Log, to publisher: Publisher<Int>) {
  publisher.subscribe(log) { log, state in log.write(state) }
}
