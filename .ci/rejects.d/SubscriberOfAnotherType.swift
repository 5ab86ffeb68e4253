// expect: requires the types 'Int' and 'String' be equivalent

import SubPub

final class Log: TypedSubscriber {
  func receive(_ state: LoadState<String>) {}
  // instead: func receive(_ state: LoadState<Int>) {}
}

func attach(_ log: Log, to publisher: Publisher<Int>) {
  publisher.subscribe(log, on: .background)
}
